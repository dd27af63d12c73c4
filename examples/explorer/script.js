// SPDX-License-Identifier: MIT
'use strict';

const element = (id) => document.getElementById(id);

// A new element with attributes, and children: elements or text.
function made(name, attributes, ...children) {
  const result = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes))
    if (attribute.startsWith('on'))
      result[attribute] = value;
    else if (value !== false)
      result.setAttribute(attribute, value === true ? '' : value);
  result.append(...children);
  return result;
}

// ---- the engine, in a worker ----

const engine =
    URL.createObjectURL(new Blob([element('engine').textContent], {type: 'text/javascript'}));
let worker = null, ready = false;
let asked = 0, answered = 0;  // the numbers of questions
let waiting = null;           // the question that is sent when the worker is ready
let began = 0, noted = '';    // when it was asked, and what the engine says meanwhile

function start_worker() {
  if (worker) worker.terminate();
  ready = false;
  const mine = worker = new Worker(engine);
  worker.onmessage = ({data}) => {
    if (mine !== worker) return;  // sent before it was ended
    if (data.machines) {
      add_machines(data.machines);
      ready = true;
      if (waiting) send(waiting);
    } else if (data.note) {
      noted = data.note.replace(/^bankmodel: note: /, '');
    } else if (data.number === asked) {
      answered = asked;
      show(data.text);
    }
  };
  worker.onerror = (why) => {
    why.preventDefault();
    if (mine !== worker) return;
    answered = asked;
    start_worker();
    show_error(
        `The engine stopped: ${why.message}\nThe command line may have room for this kernel.`);
  };
}

function send(question) {
  waiting = null;
  worker.postMessage(question);
}

// A question that is still being answered is given up.
function ask() {
  if (ready && asked !== answered) start_worker();
  ++asked;
  noted = 'Stop, or a new input, ends it';
  began = performance.now();
  set_state('busy');
  waiting = {
    number: asked,
    name: element('example').value || 'kernel',
    text: element('text').value.replaceAll('\0', '\ufffd'),
    machine: element('machine').value,
    padding: Object.entries(padding).map(([name, value]) => `${name}=${value}`).join(),
    access: drawn_access,
    plan: element('plan').checked ? 1 : 0
  };
  if (ready) send(waiting);
}

function stop() {
  start_worker();
  answered = asked;
  show_error('Stopped. Change the kernel, or leave out the plan, to count again.');
}

// ---- the input ----

let padding = {};       // elements, by the array's name
let drawn_access = -1;  // -1: the one with the most conflicts
let last_answer = '';   // as it came, for tests

function add_machines(names) {
  if (element('machine').options.length > 1) return;
  for (const name of names) element('machine').add(new Option(name));
}

function choose_example(name) {
  const one = document.querySelector(`script.example[data-name="${CSS.escape(name)}"]`);
  if (!one) return;
  element('text').value = one.textContent.slice(1);  // without the newline after the tag
  padding = {};
  drawn_access = -1;
  ask();
}

// A slider for each array with rows. Those of the same arrays are kept: one of them may be moved.
function show_paddings(arrays) {
  const names = JSON.stringify(arrays.map(({name, row}) => [name, row]));
  const field = element('paddings');
  field.hidden = arrays.length === 0;
  if (field.dataset.names !== names) {
    field.dataset.names = names;
    field.querySelectorAll('label').forEach((old) => old.remove());
    for (const {name} of arrays) field.append(slider(name));
  }
  arrays.forEach(({name, row, padding: unused}, at) => {
    const label = field.querySelectorAll('label')[at];
    label.querySelector('input').value = padding[name] ?? unused;
    label.querySelector('output').value = `${row} + ${padding[name] ?? unused}`;
  });
}

function slider(name) {
  const moved = ({target}) => {
    padding[name] = Number(target.value);
    ask();
  };
  return made(
      'label', {}, made('code', {}, name),
      made('input', {type: 'range', min: 0, max: 32, 'data-array': name, oninput: moved}),
      made('output', {}));
}

// ---- the output ----

function set_state(state) {
  document.body.dataset.state = state;
  element('stop').hidden = state !== 'busy';
  if (state !== 'busy')
    element('doing').textContent = '';
  else if (!ready)
    element('doing').textContent = 'starting';
}

function show_error(text) {
  element('problem').hidden = text === '';
  element('error').textContent = text;
  element('go').hidden = !place_of(text);
  element('output').classList.toggle('stale', text !== '');
  if (text !== '') set_state('wrong');
}

// The line and the column, from 1, of "name:4:10: error: ..".
function place_of(error) {
  const found = /^[^\n]*?:(\d+):(\d+): error: /.exec(error);
  return found && {line: Number(found[1]), column: Number(found[2])};
}

function go_to_error() {
  const {line, column} = place_of(element('error').textContent);
  const lines = element('text').value.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const at = before + [...lines[line - 1] ?? ''].slice(0, column - 1).join('').length;
  element('text').focus();
  element('text').setSelectionRange(at, at + 1);
}

// Numbers of more than 15 digits stay texts: JavaScript would round them.
const parsed = (json) => JSON.parse(
    json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|\d{16,}/g, (one) => one[0] === '"' ? one : `"${one}"`));
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

function show(text) {
  last_answer = text;
  const found = parsed(text);
  show_error(found.error ?? '');
  if (found.error) return;
  show_paddings(found.arrays);
  const parts = found.answer.machines.flatMap((one, at) => machine_parts(found, one, at === 0));
  for (const note of found.answer.notes ?? []) parts.push(made('p', {}, `note: ${note}`));
  const focused = document.activeElement?.dataset?.access;
  element('results').replaceChildren(...parts);
  element('plans').replaceChildren(
      ...found.answer.machines.filter((one) => 'plan' in one).flatMap(plan_parts));
  if (focused) element('results').querySelector(`[data-access="${focused}"]`)?.focus();
  set_state('done');
  element('doing').textContent =
      `one block of ${found.answer.block.join(' x ')} threads, counted in ${
          Math.round(performance.now() - began)} ms`;
}

const shared_columns = [
  ['requests', (one) => grouped(one.requests)], ['wavefronts', (one) => grouped(one.wavefronts)],
  ['ideal', (one) => grouped(one.ideal)], ['conflicts', (one) => grouped(one.conflicts)],
  ['worst', (one) => one.degree > 1 ? `${one.degree}-way` : '-']
];
const global_columns = [
  ['requests', (one) => grouped(one.requests)],
  ['transactions', (one) => grouped(one.transactions)], ['ideal', (one) => grouped(one.ideal)],
  ['bytes used', (one) => grouped(one.bytes_used)],
  ['bytes moved', (one) => grouped(one.bytes_moved)]
];
const is_global = (access) => access.memory === 'global';
const is_over = (one) => (one.transactions ?? one.wavefronts) !== one.ideal;

// Everything about one machine; the pictures are of the first one.
function machine_parts(found, machine, is_first) {
  const parts = [];
  machine.costs.forEach((cost, at) => {
    const of = machine.costs.length > 1 ? `${machine.machine}, ${cost.bank_width}-byte banks` :
                                          machine.machine;
    const drawn = is_first && at === 0 ? found.drawn : -1;
    const shared = cost.accesses.some((one) => !is_global(one));
    if (shared)
      parts.push(
          table(`${of}: shared memory`, cost, shared_columns, false, drawn, is_first && at === 0));
    // Global memory is the same with either bank width.
    if (at === 0 && cost.accesses.some(is_global))
      parts.push(table(`${of}: global memory`, cost, global_columns, true, drawn, is_first));
    if (is_first && at === 0) parts.push(...pictures(found, cost.accesses[found.drawn]));
  });
  return parts;
}

function table(caption, cost, columns, global, drawn, has_buttons) {
  const sum_of = (one) => global && one ? one.global ?? one : one;
  const row = (line, name, one, attributes) => made(
      'tr', attributes, made('td', {}, line), made('td', {class: 'access'}, name),
      ...columns.map(
          ([title, text]) => made(
              'td', {class: /^(conflicts|transactions)$/.test(title) && is_over(one) && 'over'},
              text(one))));
  const rows = cost.accesses.flatMap((one, at) => {
    if (is_global(one) !== global) return [];
    const name = has_buttons ? access_button(one, at, at === drawn) : one.access;
    return [row(String(one.line), name, one, {class: at === drawn && 'drawn'})];
  });
  rows.push(row('', 'the whole kernel', sum_of(cost), {class: 'sum'}));
  if (cost.grid) rows.push(row('', 'all blocks', sum_of(cost.grid), {class: 'sum'}));
  return made(
      'div', {class: 'scroll'},
      made(
          'table', {class: 'costs'}, made('caption', {}, caption),
          made(
              'thead', {},
              made(
                  'tr', {}, made('th', {scope: 'col'}, 'line'),
                  made('th', {scope: 'col', class: 'access'}, 'access'),
                  ...columns.map(([title]) => made('th', {scope: 'col'}, title)))),
          made('tbody', {}, ...rows)));
}

function access_button(access, at, is_drawn) {
  const chosen = () => {
    drawn_access = at;
    ask();
  };
  return made(
      'button',
      {type: 'button', 'data-access': at, 'aria-pressed': String(is_drawn), onclick: chosen},
      access.access);
}

// The engine's own SVG, whose texts it has escaped.
function picture(title, svg) {
  const figure = made('figure', {tabindex: 0, 'aria-label': title}, made('figcaption', {}, title));
  figure.insertAdjacentHTML('beforeend', svg);
  return figure;
}

function pictures(found, access) {
  const parts = [made('h2', {}, `Worst request of line ${access.line}`)];
  if (access.why) parts.push(made('p', {}, access.why));
  if (found.refused) parts.push(made('p', {}, `No picture: ${found.refused}`));
  const drawn = made('div', {class: 'pictures'});
  if (found.declared) drawn.append(picture('as declared', found.declared));
  if (found.planned) drawn.append(picture('as planned', found.planned));
  return [...parts, drawn];
}

function plan_parts({machine, plan, no_plan}) {
  const heading = made('h2', {}, `Plan for ${machine}`);
  if (!plan) return [heading, made('p', {}, `none: ${no_plan}`)];
  const line = (what, of) => made(
      'tr', {}, made('td', {class: 'access'}, what), made('td', {}, grouped(of(plan.before))),
      made('td', {}, grouped(of(plan.after))));
  const proven = plan.optimal ? 'Proven: no layout of the searched families has fewer wavefronts.' :
                                `Not proven; the families cannot take fewer than ${
                                    grouped(plan.least_wavefronts)} wavefronts.`;
  return [
    heading,
    made(
        'table', {},
        made(
            'thead', {},
            made(
                'tr', {}, made('th', {class: 'access'}), made('th', {scope: 'col'}, 'before'),
                made('th', {scope: 'col'}, 'after'))),
        made(
            'tbody', {}, line('wavefronts', (one) => one.wavefronts),
            line('conflicts', (one) => one.conflicts), line('bytes', (one) => one.bytes),
            line('resident blocks', (one) => one.resident_blocks))),
    made(
        'pre', {},
        [...plan.declarations, ...plan.indices.map((one) => `index: ${one}`)].join('\n')),
    made('p', {}, proven)
  ];
}

// ---- the beginning ----

for (const one of document.querySelectorAll('script.example'))
  element('example').add(new Option(one.dataset.name));
element('example').onchange = ({target}) => choose_example(target.value);
element('machine').onchange = ask;
element('plan').onchange = ask;
element('stop').onclick = stop;
element('go').onclick = go_to_error;
element('text').oninput = () => {
  drawn_access = -1;
  ask();
};
// What takes long says for how long already.
setInterval(() => {
  const seconds = Math.floor((performance.now() - began) / 1000);
  if (document.body.dataset.state === 'busy' && ready && seconds > 0)
    element('doing').textContent = `counting for ${seconds} s; ${noted}`;
}, 500);
start_worker();
element('example').value = 'transpose';
choose_example('transpose');
