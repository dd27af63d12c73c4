// SPDX-License-Identifier: MIT
// A headless chromium, told over a pipe what to do (the DevTools protocol).
import {spawn} from 'node:child_process';

export class Browser {
  static async start(program) {
    const result = new Browser();
    const flags = [
      '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe'
    ];
    result.process = spawn(program, flags, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    result.process.stdio[4].on('data', (data) => result.read(data));
    const {targetId} = await result.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await result.send('Target.attachToTarget', {targetId, flatten: true});
    result.sessionId = sessionId;
    for (const domain of ['Page', 'Runtime', 'Network']) await result.send(`${domain}.enable`);
    return result;
  }

  number = 0;
  waiting = new Map();
  rest = '';
  requested = [];   // addresses
  complaints = [];  // exceptions, and errors of the console

  read(data) {
    const messages = (this.rest + data).split('\0');
    this.rest = messages.pop();
    for (const message of messages.map((one) => JSON.parse(one))) {
      if (message.id) this.waiting.get(message.id)(message);
      if (message.method === 'Network.requestWillBeSent')
        this.requested.push(message.params.request.url);
      if (message.method === 'Runtime.exceptionThrown')
        this.complaints.push(message.params.exceptionDetails.exception?.description);
    }
  }

  async send(method, params = {}) {
    const id = ++this.number;
    const answer = new Promise((resolve) => this.waiting.set(id, resolve));
    this.process.stdio[3].write(
        JSON.stringify({id, method, params, sessionId: this.sessionId}) + '\0');
    const {error, result} = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  // The value of an expression in the page.
  async value(expression) {
    const {result, exceptionDetails} =
        await this.send('Runtime.evaluate', {expression, returnByValue: true});
    if (exceptionDetails) throw new Error(exceptionDetails.exception.description);
    return result.value;
  }

  async until(expression, seconds = 60) {
    const end = Date.now() + seconds * 1000;
    while (!await this.value(expression)) {
      if (Date.now() > end) throw new Error(`not within ${seconds} s: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async screenshot() {
    const {data} = await this.send('Page.captureScreenshot', {captureBeyondViewport: true});
    return Buffer.from(data, 'base64');
  }

  stop() {
    this.process.kill();
  }
}
