// SPDX-License-Identifier: MIT
// node extension.mjs EXTENSION TOOL FOLDER: runs the extension for VS Code with the server, and with
// as much of VS Code as it needs: a document is opened, changed, asked about, fixed and closed.
import assert from 'node:assert';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [, , extension, tool, folder] = process.argv;
const { start, Connection } = createRequire(import.meta.url)(extension);

class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Emitter {
  listeners = [];
  event = listener => { this.listeners.push(listener); return { dispose() {} }; };
  fire(what) { this.listeners.forEach(listener => listener(what)); }
}
const emitters = Object.fromEntries(['Open', 'Change', 'Save', 'Close'].map(name => [name, new Emitter()]));
const providers = {};
const shown = [], messages = [];
let changed = () => {};
const vscode = {
  Position, Range, EventEmitter: Emitter,
  Uri: { parse: text => ({ toString: () => text }) },
  Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  CodeAction: class { constructor(title, kind) { Object.assign(this, { title, kind }); } },
  CodeActionKind: { QuickFix: 'quickfix' },
  WorkspaceEdit: class { edits = []; replace(uri, range, text) { this.edits.push({ uri: uri.toString(), range, text }); } },
  Hover: class { constructor(contents) { this.contents = contents; } },
  MarkdownString: class { constructor(value) { this.value = value; } },
  InlayHint: class { constructor(position, label) { Object.assign(this, { position, label }); } },
  window: {
    createOutputChannel: () => ({ append() {}, dispose() {} }),
    showErrorMessage: text => messages.push(text),
  },
  languages: {
    match: (selector, document) => document.uri.toString().endsWith('.cu') ? 10 : 0,
    createDiagnosticCollection: () => ({ clear() {}, set: (uri, all) => { shown.push({ uri: uri.toString(), all }); changed(); } }),
    registerHoverProvider: (_, provider) => { providers.hover = provider; },
    registerInlayHintsProvider: (_, provider) => { providers.hints = provider; },
    registerCodeActionsProvider: (_, provider) => { providers.actions = provider; },
  },
  workspace: {
    getConfiguration: () => ({ get: name => ({ path: tool, arguments: ['-m', 'sm_90'] })[name] }),
    workspaceFolders: [{ uri: { fsPath: folder } }],
    textDocuments: [],
    onDidOpenTextDocument: emitters.Open.event, onDidChangeTextDocument: emitters.Change.event,
    onDidSaveTextDocument: emitters.Save.event, onDidCloseTextDocument: emitters.Close.event,
  },
};

const file = path.join(folder, 'a kernel.cu'), uri = pathToFileURL(file).href;
let text = readFileSync(path.join(folder, 'transpose.cu'), 'utf8'), version = 1;
writeFileSync(file, text);
const document = { uri: { toString: () => uri }, languageId: 'cuda-cpp', get version() { return version; }, getText: () => text };
vscode.workspace.textDocuments.push(document, { uri: { toString: () => 'file:///readme.md' } });
const context = { subscriptions: [] };
// The diagnostics that are published until `isThere` holds.
const until = isThere => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(new Error(`not published: ${isThere}; ${JSON.stringify(shown)}`)), 60000);
  changed = () => {
    const last = shown.at(-1);
    if (!last || !isThere(last.all)) return;
    clearTimeout(timer);
    changed = () => {};
    resolve(last);
  };
  changed();
});
const everything = new Range(new Position(0, 0), new Position(999, 0));

// The bytes of several messages, in pieces of all sizes.
for (let size = 1; size < 90; ++size) {
  const seen = [];
  const connection = new Connection(() => {}, (method, params) => seen.push([method, params]), () => {});
  const bytes = Buffer.concat(['é', 'b', ''].map(value => {
    const body = Buffer.from(JSON.stringify({ method: 'm', params: value }));
    return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  }));
  for (let first = 0; first < bytes.length; first += size) connection.receive(bytes.subarray(first, first + size));
  assert.deepEqual(seen, [['m', 'é'], ['m', 'b'], ['m', '']]);
}

const { stop } = start(vscode, context);
const first = await until(all => all.length > 0);
assert.equal(first.uri, uri);
assert.equal(first.all[0].code, 'bank-conflict');
assert.equal(first.all[0].severity, vscode.DiagnosticSeverity.Warning);
assert.match(first.all[0].message, /^32-way bank conflict: 32 requests take 1,024 wavefronts, ideal 32 \(transpose on sm_90\)\nin the worst request: /);
const lineOf = part => text.split('\n').findIndex(line => line.includes(part));
const line = lineOf('tile[threadIdx.x]');
assert.equal(first.all[0].range.start.line, line);
assert.equal(first.all[0].range.start.character, text.split('\n')[line].indexOf('tile[threadIdx.x]'));
assert.equal(first.all[0].range.end.character - first.all[0].range.start.character, 4);

const hints = await providers.hints.provideInlayHints(document, everything);
assert.deepEqual(hints.map(one => [one.position.line, one.label]), [[line, '32-way, 1,024 of 32']]);
const hover = await providers.hover.provideHover(document, new Position(line, 5));
assert.match(hover.contents.value, /\*\*load tile\*\*, transpose on sm_90: 32 requests, 32-way, 1,024 of 32 wavefronts/);
assert.match(hover.contents.value, /```text\n(.*\n)+```/);
const kernel = await providers.hover.provideHover(document, new Position(lineOf('__global__'), 0));
assert.match(kernel.contents.value, /transpose, one block of 32 x 8 threads/);
assert.equal(await providers.hover.provideHover(document, new Position(0, 0)), null);

const actions = await providers.actions.provideCodeActions(document, new Range(new Position(line, 0), new Position(line, 1)));
assert.equal(actions.length, 1);
assert.match(actions[0].title, /tile\[32\]\[33\] takes 64 wavefronts instead of 1,056/);
const edits = actions[0].edit.edits;
assert.deepEqual(edits.map(one => [one.uri, one.text]), [[uri, '33']]);
assert.equal((await providers.actions.provideCodeActions(document, new Range(new Position(0, 0), new Position(0, 0)))).length, 0);

// The fix is applied: there is nothing more to say. Letters of two units of UTF-16 come before it.
const lines = text.split('\n');
const { start: from, end: to } = edits[0].range;
lines[from.line] = lines[from.line].slice(0, from.character) + edits[0].text + lines[from.line].slice(to.character);
text = lines.join('\n');
++version;
emitters.Change.fire({ document });
await until(all => all.length === 0);
assert.deepEqual(await providers.hints.provideInlayHints(document, everything), []);
text = text.replace('[33]', '[32]').replace('tile[threadIdx.x]', '/* 🚀é */tile[threadIdx.x]');
++version;
emitters.Change.fire({ document });
const moved = await until(all => all.length > 0);
assert.equal(moved.all[0].range.start.character, text.split('\n')[line].indexOf('tile[threadIdx.x]'));

// What does not compile says so at its line, and no number of before stays.
text = text.replace('__syncthreads();', '__syncthreads(;');
++version;
emitters.Change.fire({ document });
const wrong = await until(all => all.some(one => one.code === 'not-counted'));
assert.equal(wrong.all[0].range.start.line, lineOf('__syncthreads(;'));
emitters.Close.fire(document);
await until(all => all.length === 0);
await stop();
assert.deepEqual(messages, []);
// A server that is not there, and one that ends.
for (const [program, said] of [['/nowhere/bankmodel', /does not start/], ['false', /ended/]]) {
  vscode.workspace.getConfiguration = () => ({ get: name => ({ path: program, arguments: [] })[name] });
  const { stop: stopOther } = start(vscode, { subscriptions: [] });
  assert.deepEqual(await providers.hints.provideInlayHints(document, everything), []);
  await stopOther();
  assert.match(messages.pop(), said);
}
console.log('the extension shows, changes and clears');
