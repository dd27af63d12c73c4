// SPDX-License-Identifier: MIT
// The explorer's page in a headless browser, beside the command line:
//   node page.mjs explorer.html bankmodel kernel_files [folder for screenshots]
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

import {Browser} from '../support/browser.mjs';

const [page, tool, folder, pictures] = process.argv.slice(2);
const chromium = process.env.CHROMIUM ?? 'chromium';

// What the command line prints about a text, and its errors.
function command_line(text, ...options) {
  const {stdout, stderr} =
      spawnSync(tool, ['-', '--json', ...options], {input: text, encoding: 'utf8'});
  return {answer: stdout && JSON.parse(exact(stdout)), error: stderr};
}
// Numbers as texts: JavaScript would round the largest.
const exact = (json) =>
    json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+/g, (one) => one[0] === '"' ? one : `"${one}"`);
const without_file = ({file, ...rest}) => rest;

const browser = await Browser.start(chromium);
let checks = 0;
function same(found, wanted, what) {
  assert.deepEqual(found, wanted, what);
  ++checks;
}

// Does something that makes the page count, and returns its answer.
async function answer_after(script) {
  await browser.value(`${script}; undefined`);
  await browser.until(
      `document.body.dataset.state === 'done' || document.body.dataset.state === 'wrong'`);
  return JSON.parse(exact(await browser.value('last_answer')));
}
const changed = (id, value) => `element('${id}').value = ${JSON.stringify(value)}; element('${
    id}').dispatchEvent(new Event('${id === 'text' ? 'input' : 'change'}'))`;
const error_text = () => browser.value(`element('error').textContent`);

async function open() {
  await browser.send('Page.navigate', {url: `file://${resolve(page)}`});
  await browser.until(`document.body?.dataset.state === 'done'`);
}

// ---- every kernel file: the same as --json, and the same in the table ----

async function kernel_files() {
  const names = readdirSync(folder).filter((name) => name.endsWith('.kernel')).sort();
  same(
      await browser.value(`[...element('example').options].map((one) => one.value)`),
      names.map((name) => name.replace('.kernel', '')), 'the examples');
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8');
    const found = await answer_after(changed('example', name.replace('.kernel', '')));
    same(await browser.value(`element('text').value`), text, name);
    const wanted = command_line(text);
    same(wanted.error, '', name);
    same(without_file(found.answer), without_file(wanted.answer), name);
    await table_of(found.answer, name);
    await pictures_of(found, name);
  }
}

// The cells of the tables are those of the answer.
async function table_of({machines}, name) {
  const shown = await browser.value(`[...document.querySelectorAll('#results .costs tbody tr')].map(
      (row) => [...row.cells].map((cell) => cell.textContent.replaceAll(',', '')))`);
  const wanted = machines.flatMap(({costs}) => costs.flatMap((cost, at) => tables(cost, at === 0)));
  same(
      shown.map((row) => row.map((cell, at) => at === 1 ? cell.replaceAll(',', '') : cell)), wanted,
      name);
}
function tables(cost, with_global) {
  const rows = (global) => {
    const cells = (line, what, one) => global ?
        [line, what, one.requests, one.transactions, one.ideal, one.bytes_used, one.bytes_moved] :
        [
          line, what, one.requests, one.wavefronts, one.ideal, one.conflicts,
          one.degree > 1 ? `${one.degree}-way` : '-'
        ];
    const of = cost.accesses.filter((one) => (one.memory === 'global') === global);
    if (of.length === 0) return [];
    const sum = (all) => global ? all.global : all;
    return [
      ...of.map((one) => cells(one.line, one.access.replaceAll(',', ''), one)),
      cells('', 'the whole kernel', sum(cost)),
      ...(cost.grid ? [cells('', 'all blocks', sum(cost.grid))] : [])
    ];
  };
  return [...rows(false), ...(with_global ? rows(true) : [])];
}

// The pictures are those of the drawn access, the first of those with the most conflicts.
async function pictures_of(found, name) {
  const {accesses} = found.answer.machines[0].costs[0];
  const most = Math.max(...accesses.map((one) => Number(one.conflicts ?? 0)));
  if (most > 0) same(Number(accesses[found.drawn].conflicts), most, name);
  same(
      await browser.value(`document.querySelectorAll('#results figure svg').length`),
      Number(found.declared !== '') + Number(found.planned !== ''), name);
  assert(found.declared.includes('wavefronts') || found.declared.includes('transactions'), name);
}

// The page's own example of the notation is counted.
async function notation() {
  const text = await browser.value(`document.querySelector('details pre').textContent`);
  const found = await answer_after(changed('text', text));
  const wanted = command_line(text, '-m', 'sm_90');
  same(found.answer.machines, wanted.answer.machines, text);
}

// 2^53 + 1, which JavaScript's numbers do not have.
async function large_numbers() {
  const text = `machine sm_90\nblock 32\nshared float a[32]
for (long long i = 0; i < 9007199254740993; ++i) load a[tx]\n`;
  const found = await answer_after(changed('text', text));
  same(found.answer.machines[0].costs[0].wavefronts, '9007199254740993');
  await table_of(found.answer, text);
}

// ---- errors, machines, padding ----

async function errors() {
  for (const text
           of ['block 32\nshared float tile[32][32]\nload tole[tx][0]\n', 'block 32\nload', '\n',
               'block 32\n# \u00e9\u{1f600}\nshared float a[8]\nload a[tx]\n',
               'machine sm_91\nblock 32', 'block 32\nextern shared float a[]\nload a[tx]',
               'block 99999\nshared float a[8]']) {
    await answer_after(changed('text', text));
    const wanted = command_line(text).error;
    const name = wanted.slice(0, wanted.indexOf(':'));
    const shown = await error_text();
    same(
        shown.split('\n')[0].replace(/^[^:]*/, name).replace(/; .*/, ''),
        wanted.split('\n')[0].replace(/; .*/, ''), text);
    assert(!shown.includes('--'), `an option of the command line in: ${shown}`);
  }
  await answer_after(changed('text', 'block 32\nshared float tile[32][32]\n  load tole[tx][0]\n'));
  await browser.value(`element('go').click()`);
  same(
      await browser.value(
          `element('text').value.slice(element('text').selectionStart).slice(0, 4)`),
      'tole');
}

const transpose =
    'block 32 8\nshared float tile[32][32]\nfor (j = 0; j < 32; j += 8) load tile[tx][ty + j]\n';

async function machines() {
  const all = await browser.value(`[...element('machine').options].map((one) => one.value)`);
  assert(all.length > 40 && all[0] === '' && all.includes('sm_35') && all.includes('gfx942'));
  await answer_after(changed('text', transpose));
  assert(!(await browser.value(`element('results').textContent`)).includes('--'));
  for (const machine of all.slice(1)) {
    const found = await answer_after(changed('machine', machine));
    same(
        without_file(found.answer), without_file(command_line(transpose, '-m', machine).answer),
        machine);
  }
  await answer_after(changed('machine', ''));
}

// Rows made longer by the slider cost what longer rows in the text cost.
async function padding() {
  await answer_after(changed('text', transpose));
  const costs = ({answer}) => answer.machines[0].costs[0].accesses.map(
      ({requests, wavefronts, ideal, degree}) => ({requests, wavefronts, ideal, degree}));
  for (const elements of [1, 2, 5, 32, 0]) {
    const found = await answer_after(`((one) => {
      one.value = ${elements};
      one.dispatchEvent(new Event('input'));
    })(document.querySelector('[data-array=tile]'))`);
    const longer = transpose.replace('[32][32]', `[32][${32 + elements}]`);
    same(costs(found), costs(command_line(longer)), `${elements} elements`);
    same(found.arrays, [{name: 'tile', row: '32', padding: String(elements)}]);
  }
}

// ---- a long count is given up for a new input; keys; another access ----

// The command line takes 10 s for it.
const endless = `machine sm_35, sm_90, gfx942
block 1024
shared float a[4096]
for (i = 0; i < 10; ++i)
  for (j = 0; j < 300; ++j)
    if ((i * i + j * j) % 1021 < tx * tx) load a[tx * (j % 4)], a[tx * (j % 3)], a[tx * (i % 3)]
`;

async function interrupted() {
  await browser.value(`${changed('text', endless)}; undefined`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  same(await browser.value(`document.body.dataset.state`), 'busy');
  const began = Date.now();
  const named = `machine sm_90\n${transpose}`;
  const found = await answer_after(changed('text', named));
  same(without_file(found.answer), without_file(command_line(named).answer));
  assert(Date.now() - began < 20000, 'a new input waits for the old one');
  await browser.value(`${changed('text', endless)}; undefined`);
  await browser.until(`/counting for \\d+ s/.test(element('doing').textContent)`);
  same(await browser.value(`element('stop').hidden`), false);
  await browser.value(`element('stop').click()`);
  same(await browser.value(`document.body.dataset.state`), 'wrong');
  same((await error_text()).slice(0, 7), 'Stopped');
}

async function keys() {
  await answer_after(changed('example', 'transpose'));
  await browser.value(`document.activeElement.blur()`);
  const reached = [];
  for (let times = 0; times < 16; ++times) {
    for (const type of ['keyDown', 'keyUp'])
      await browser.send(
          'Input.dispatchKeyEvent', {type, key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9});
    reached.push(await browser.value(
        `((one) => one.id || one.dataset.access || one.dataset.array || one.tagName)(document.activeElement)`));
  }
  for (const one of ['example', 'machine', 'plan', 'text', 'tile', '0', '1', 'FIGURE'])
    assert(reached.includes(one), `${one} is not reached by Tab: ${reached}`);
  const found = await answer_after(`document.querySelector('[data-access="0"]').click()`);
  same(found.drawn, '0');
}

// ---- a phone, light and dark, without a network ----

async function looks() {
  const colours = {};
  for (const scheme of ['light', 'dark']) {
    await browser.send(
        'Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: scheme}]});
    for (const [device, width] of [['phone', 390], ['desk', 1400]]) {
      await browser.send(
          'Emulation.setDeviceMetricsOverride',
          {width, height: 844, deviceScaleFactor: 1, mobile: device === 'phone'});
      await answer_after(changed('example', 'lud_diagonal'));
      await answer_after(changed('example', 'transpose'));
      const wide = await browser.value(`document.documentElement.scrollWidth`);
      assert(wide <= width, `${wide} pixels are needed on ${device}`);
      ++checks;
      if (pictures)
        writeFileSync(join(pictures, `${device}_${scheme}.png`), await browser.screenshot());
    }
    colours[scheme] = await browser.value(`[document.body, document.querySelector('svg .page')].map(
        (one) => getComputedStyle(one)).map((one) => one.backgroundColor + one.fill)`);
  }
  assert(
      colours.light[0] !== colours.dark[0] && colours.light[1] !== colours.dark[1],
      'dark is as light');
}

try {
  await open();
  await kernel_files();
  await notation();
  await large_numbers();
  await errors();
  await machines();
  await padding();
  await interrupted();
  await keys();
  await looks();
  same(
      browser.requested.filter((one) => !/^(file|blob|data):/.test(one)), [], 'outside references');
  same(browser.complaints, [], 'exceptions in the page');
  console.log(`explorer: ${checks} comparisons, all equal`);
} catch (why) {
  console.error(why.stack ?? why);
  console.error(
      await browser.value(
          `[document.body.dataset.state, element('doing').textContent, element('error').textContent,
      ready, asked, answered].join('\\n')`),
      browser.complaints);
  process.exitCode = 1;
} finally {
  browser.stop();
}
