// SPDX-License-Identifier: MIT
// The explorer's page in a headless browser, beside the command line:
//   node page.mjs explorer.html bankmodel folder-of-the-project scratch [folder for screenshots]
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

import {Browser} from '../support/browser.mjs';

const [page, tool, project, scratch, pictures] = process.argv.slice(2);
const chromium = process.env.CHROMIUM ?? 'chromium';
mkdirSync(scratch, {recursive: true});

// What the command line says of a text, as the page has it: the parts below the heading. The file's
// name has no ending, so that it is read as a kernel file.
function command_line(name, text, ...options) {
  writeFileSync(join(scratch, name), text);
  const {stdout, stderr} = spawnSync(
      resolve(tool), [name, '--format', 'html', ...options], {cwd: scratch, encoding: 'utf8'});
  const styles = /<style>([^]*?)<\/style>/.exec(stdout)?.[1];
  const body = /<body>\n([^]*?)<main>\n[^]*?counted by bankmodel\.<\/p>\n([^]*)<\/main>/.exec(stdout);
  return {styles, page: body && without_advice(body[1] + body[2]), error: stderr};
}
// Notes whose advice names options have other words on the page.
const without_advice = (html) => html.replace(/<li>note: no machine is named[^\n]*\n/g, '')
    .replace(/(<dt>assumption<\/dt><dd>[^;<]*); [^<]*/g, '$1').replaceAll('; --bank-width 8 counts with them', '')
    .replace('<h3>Remarks</h3>\n<ul>\n</ul>\n', '');

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
  return JSON.parse(await browser.value('last_answer'));
}
const changed = (id, value) => `element('${id}').value = ${JSON.stringify(value)}; element('${
    id}').dispatchEvent(new Event('${/^(text|block)$/.test(id) ? 'input' : 'change'}'))`;
const typed = (selector, value) => `((one) => {
  one.value = ${JSON.stringify(value)};
  one.dispatchEvent(new Event('input'));
})(document.querySelector('${selector}'))`;
const error_text = () => browser.value(`element('error').textContent`);

function same_page(found, wanted, what) {
  same(found.error, undefined, what);
  same(wanted.error, '', what);
  same(without_advice(found.page), wanted.page, what);
  same(found.styles, wanted.styles, what);
}

async function open(address = `file://${resolve(page)}`) {
  await browser.send('Page.navigate', {url: 'about:blank'});
  await browser.send('Page.navigate', {url: address});
  await browser.until(`document.body?.dataset.state === 'done'`);
}

// ---- every example, and every kernel in CUDA: the page of the command line ----

const kernel_files = join(project, 'examples/kernel_files'), cuda = join(project, 'examples/cuda');

async function examples() {
  const names = await browser.value(`[...element('example').options].map((one) => one.value)`);
  const notation = readdirSync(kernel_files).map((name) => name.replace('.kernel', '')).sort();
  same(names.filter((name) => notation.includes(name)).sort(), notation, 'the examples');
  assert(names.length > notation.length, 'no example is in CUDA');
  for (const name of names) {
    const text = readFileSync(
        notation.includes(name) ? join(kernel_files, `${name}.kernel`) :
            name === 'tile'     ? join(project, 'examples/guide/tile.cu') :
                                  join(cuda, `${name}.cu`),
        'utf8');
    const found = await answer_after(changed('example', name));
    same(await browser.value(`element('text').value`), text, name);
    same_page(found, command_line(name, text), name);
  }
}

async function pasted() {
  let counted = 0;
  for (const file of readdirSync(cuda).filter((name) => name.endsWith('.cu'))) {
    const text = readFileSync(join(cuda, file), 'utf8');
    await browser.value(`element('example').value = ''; element('plan').checked = false`);
    const found = await answer_after(changed('text', text));
    const wanted = command_line('kernel', text, '--no-plan');
    same(found.error === undefined, wanted.page !== null, file);
    if (found.error) continue;
    same_page(found, wanted, file);
    ++counted;
  }
  assert(counted >= 24, `${counted} kernels in CUDA are counted`);
  await browser.value(`element('plan').checked = true`);
}

// The page's own example of the notation, and the kernel of the README.
async function own_texts() {
  const notation = await browser.value(`document.querySelector('#input details pre').textContent`);
  same_page(await answer_after(changed('text', notation)), command_line('kernel', notation));
  const readme = /```cuda\n([^]*?)```/.exec(readFileSync(join(project, 'README.md'), 'utf8'))[1];
  const found = await answer_after(changed('text', readme));
  same_page(found, command_line('kernel', readme));
  same([found.block, found.block_assumed], ['32x32', true]);
  assert(found.page.includes('<b class="bad">1,056 wavefronts</b>, ideal 64'));
}

// ---- arguments, the block, several kernels ----

const two = `#define SIDE 32
template <int N> __global__ void first(float* out, const float* in, int pitch, bool turned) {
  __shared__ float tile[SIDE][SIDE];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * pitch + threadIdx.x];
  if (turned) out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void second(float* out) { out[2 * threadIdx.x] = 1; }
`;

async function launch() {
  let found = await answer_after(changed('text', two));
  same(found.kernels, ['first', 'second']);
  same(found.kernel, 'first');
  same(found.arguments, [
    {name: 'pitch', value: '1024', assumed: true}, {name: 'turned', value: '1', assumed: true}
  ]);
  same_page(found, command_line('kernel', two, '--kernel', 'first'));
  same(await browser.value(`document.querySelector('[data-argument=pitch]').placeholder`), 'assumed: 1024');
  found = await answer_after(typed('[data-argument=pitch]', '33'));
  same_page(found, command_line('kernel', two, '--kernel', 'first', '--arg', 'pitch=33'));
  found = await answer_after(typed('[data-argument=turned]', '0'));
  same_page(
      found,
      command_line('kernel', two, '--kernel', 'first', '--arg', 'pitch=33', '--arg', 'turned=0'));
  found = await answer_after(changed('block', '32x8'));
  same([found.block, found.block_assumed], ['32x8', false]);
  same_page(
      found,
      command_line(
          'kernel', two, '--kernel', 'first', '--arg', 'pitch=33', '--arg', 'turned=0', '--block',
          '32x8'));
  await answer_after(changed('block', '32x'));
  same((await error_text()).split(';')[0], 'the block is not one to three numbers of 1 to 1024 threads');
  found = await answer_after(changed('block', ''));
  // Another kernel has other arguments.
  found = await answer_after(changed('kernel', 'second'));
  same_page(found, command_line('kernel', two, '--kernel', 'second'));
  same(await browser.value(`element('arguments').hidden`), true);
}

// ---- errors, machines, padding ----

async function errors() {
  await browser.value(`element('example').value = ''`);
  for (const text
           of ['block 32\nshared float tile[32][32]\nload tole[tx][0]\n', 'block 32\nload', '\n',
               'block 32\n# \u00e9\u{1f600}\nshared float a[8]\nload a[tx]\n',
               'machine sm_91\nblock 32', 'block 32\nextern shared float a[]\nload a[tx]',
               'block 99999\nshared float a[8]', '__global__ void f(float* a) { goto b; }']) {
    await answer_after(changed('text', text));
    const wanted = command_line('kernel', text).error;
    const shown = await error_text();
    same(
        shown.split('\n')[0].replace(/; .*/, ''), wanted.split('\n')[0].replace(/; .*/, ''), text);
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
  for (const machine of all.slice(1))
    same_page(
        await answer_after(changed('machine', machine)),
        command_line('kernel', transpose, '-m', machine), machine);
  // Two of them side by side.
  await answer_after(changed('machine', 'sm_35'));
  const found = await answer_after(changed('beside', 'gfx942'));
  same_page(found, command_line('kernel', transpose, '-m', 'sm_35', '-m', 'gfx942'));
  const head = await browser.value(`[...document.querySelector('#results table').rows[0].cells].map(
      (one) => one.textContent)`);
  same(head, ['line', 'access', 'sm_35', 'gfx942']);
  await answer_after(changed('beside', ''));
  await answer_after(changed('machine', ''));
}

// Rows made longer by the slider cost what longer rows in the text cost.
async function padding() {
  await answer_after(changed('text', transpose));
  const sum = (found) => /<b[^>]*>([\d,]+) wavefronts?</.exec(found.page)[1];
  for (const elements of [1, 2, 5, 32, 0]) {
    const found = await answer_after(typed('[data-array=tile]', elements));
    const longer = transpose.replace('[32][32]', `[32][${32 + elements}]`);
    same(sum(found), sum(command_line('kernel', longer)), `${elements} elements`);
    same(found.arrays, [{name: 'tile', row: 32, padding: elements}]);
  }
}

// ---- links: the same question in another window ----

async function links() {
  await answer_after(changed('text', `${two}// \u00e9\u{1f600} <&"'>\n`));
  await answer_after(changed('kernel', 'first'));
  await answer_after(changed('machine', 'sm_80'));
  await answer_after(changed('beside', 'gfx90a'));
  await answer_after(changed('block', '32x8'));
  const before = await answer_after(typed('[data-argument=pitch]', '65'));
  await browser.value(`element('share').click()`);
  await browser.until(`element('shared').textContent !== ''`);
  const address = await browser.value('location.href');
  assert(/#[\w-]+$/.test(address), address);
  await open(address);
  const after = JSON.parse(await browser.value('last_answer'));
  same(after, before, 'the answer of a link');
  same(
      await browser.value(`[element('machine').value, element('beside').value, element('block').value,
          document.querySelector('[data-argument=pitch]').value]`),
      ['sm_80', 'gfx90a', '32x8', '65']);
  // What is no question is none.
  for (const wrong of ['#x', '#L1-0-3', `#${btoa('{"text":1}')}`, `#${btoa('null')}`]) {
    await open(`file://${resolve(page)}${wrong}`);
    same(await browser.value(`element('example').value`), 'tile', wrong);
  }
}

// Rows lead to their lines, and the address stays that of the question.
async function rows() {
  await open();
  const address = await browser.value('location.href');
  await browser.value(`document.querySelector('#results td a').click()`);
  same(await browser.value(`document.querySelectorAll('#results details.reached[open]').length`), 1);
  same(await browser.value('location.href'), address);
  // A line that is unfolded stays so when the kernel changes.
  await answer_after(typed('[data-array=tile]', 1));
  assert(await browser.value(`document.querySelectorAll('#results details[open]').length`) > 0);
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
  await answer_after(changed('example', 'transpose'));
  await browser.value(`${changed('text', endless)}; undefined`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  same(await browser.value(`document.body.dataset.state`), 'busy');
  const began = Date.now();
  const found = await answer_after(changed('text', transpose));
  same_page(found, command_line('transpose', transpose));
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
  for (let times = 0; times < 20; ++times) {
    for (const type of ['keyDown', 'keyUp'])
      await browser.send(
          'Input.dispatchKeyEvent', {type, key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9});
    reached.push(await browser.value(
        `((one) => one.id || one.dataset.array || one.tagName)(document.activeElement)`));
  }
  for (const one
           of ['example', 'machine', 'beside', 'text', 'block', 'plan', 'share', 'tile', 'SUMMARY', 'A'])
    assert(reached.includes(one), `${one} is not reached by Tab: ${reached}`);
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
      await answer_after(changed('example', 'sgemm_float4'));
      await answer_after(changed('example', 'transpose'));
      const wide = await browser.value(`document.documentElement.scrollWidth`);
      assert(wide <= width, `${wide} pixels are needed on ${device}`);
      const cut = await browser.value(`[...document.querySelectorAll('main *:not(svg *, figure *)')].filter(
          (one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 99))`);
      same(cut, [], `cut on ${device}`);
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
  await examples();
  await pasted();
  await own_texts();
  await launch();
  await errors();
  await machines();
  await padding();
  await links();
  await rows();
  await interrupted();
  await keys();
  await looks();
  same(
      browser.requested.filter((one) => !/^(file|blob|data|about):/.test(one)), [],
      'outside references');
  same(browser.complaints, [], 'exceptions in the page');
  console.log(`explorer: ${checks} comparisons, all equal`);
} catch (why) {
  console.error(why.stack?.slice(0, 3000) ?? why);
  console.error(
      await browser.value(
          `[document.body.dataset.state, element('doing').textContent, element('error').textContent,
      ready, asked, answered].join('\\n')`),
      browser.complaints);
  process.exitCode = 1;
} finally {
  browser.stop();
}
