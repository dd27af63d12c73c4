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
      if (waiting) send({number: asked, ...question()});  // a link's machines are there now
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
  waiting = {number: asked, ...question()};
  if (ready) send(waiting);
}

const pairs = (of) => Object.entries(of).map(([name, value]) => `${name}=${value}`).join();

function question() {
  return {
    name: element('example').value || 'kernel',
    text: element('text').value.replaceAll('\0', '\ufffd'),
    machine: element('machine').value,
    beside: element('beside').value,
    padding: pairs(padding),
    kernel: kernel_name,
    block: element('block').value.trim(),
    arguments: pairs(given),
    plan: element('plan').checked ? 1 : 0
  };
}

function stop() {
  start_worker();
  answered = asked;
  show_error('Stopped. Change the kernel, or leave out the plan, to count again.');
}

// ---- the input ----

let padding = {};      // elements, by the array's name
let given = {};        // numbers that were typed, by the argument's name
let kernel_name = '';  // which of several; '': the first
let last_answer = '';  // as it came, for tests

function add_machines(names) {
  if (element('machine').options.length > 1) return;
  for (const name of names)
    for (const list of ['machine', 'beside']) element(list).add(new Option(name));
  for (const [list, name] of Object.entries(chosen_machines)) element(list).value = name;
}
let chosen_machines = {};  // of a link, until the names are there

function forget_choices() {
  padding = {};
  given = {};
  kernel_name = '';
  element('block').value = '';
}

function choose_example(name) {
  const one = document.querySelector(`script.example[data-name="${CSS.escape(name)}"]`);
  if (!one) return;
  element('text').value = one.textContent.slice(1);  // without the newline after the tag
  forget_choices();
  ask();
}

// A slider for each array with rows. Those of the same arrays are kept: one of them may be moved.
function show_paddings(arrays) {
  fields_of('paddings', arrays.map(({name, row}) => `${name} ${row}`), (at) => slider(arrays[at].name));
  arrays.forEach(({name, row, padding: unused}, at) => {
    const label = element('paddings').querySelectorAll('label')[at];
    label.querySelector('input').value = padding[name] ?? unused;
    label.querySelector('output').value = `${row} + ${padding[name] ?? unused}`;
  });
}

// Fields that are made again only if others are wanted: one of them may be in use.
function fields_of(id, names, make) {
  const field = element(id), all = JSON.stringify(names);
  field.hidden = names.length === 0;
  if (field.dataset.names === all) return;
  field.dataset.names = all;
  field.querySelectorAll('label').forEach((old) => old.remove());
  names.forEach((name, at) => field.append(make(at)));
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

// A field for each number that the kernel is given; an empty one is assumed.
function show_arguments(all) {
  const typed = (name) => ({target}) => {
    const is_number = /^-?\d{1,18}$/.test(target.value);
    if (is_number)
      given[name] = target.value;
    else
      delete given[name];
    // An empty field is assumed; 1e3 is no number of the notation.
    target.setAttribute('aria-invalid', String(!is_number && (target.value !== '' || target.validity.badInput)));
    ask();
  };
  fields_of(
      'arguments', all.map(({name}) => name),
      (at) => made(
          'label', {}, made('code', {}, all[at].name),
          made('input', {type: 'number', 'data-argument': all[at].name, oninput: typed(all[at].name)})));
  element('arguments').querySelectorAll('input').forEach((field, at) => {
    field.placeholder = all[at].value ? `assumed: ${all[at].value}` : 'assumed';
    if (field !== document.activeElement) field.value = given[all[at].name] ?? '';
  });
}

function show_kernels(names, chosen) {
  element('kernels').hidden = names.length < 2;
  const list = element('kernel');
  if (list.dataset.names !== names.join()) {
    list.dataset.names = names.join();
    list.replaceChildren(...names.map((name) => new Option(name)));
  }
  list.value = chosen;
}

// ---- links: the question behind #, so that no server sees it ----

const bytes_as_text = (bytes) => Array.from(bytes, (one) => String.fromCharCode(one)).join('');
function link() {
  const kept = {...question(), name: element('example').value, given, padding};
  delete kept.arguments;
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  const text = btoa(bytes_as_text(bytes));
  return '#' + text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

// True if the address has a question.
function take_link() {
  let kept = null;
  try {
    const text = atob(location.hash.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    kept = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (one) => one.charCodeAt(0))));
  } catch {
    return false;
  }
  if (typeof kept?.text !== 'string') return false;
  const numbers = (of) => Object.fromEntries(Object.entries(of ?? {}).filter(
      ([name, value]) => /^\w+$/.test(name) && /^-?\d{1,18}$/.test(value)));
  const machine = String(kept.machine ?? ''), beside = String(kept.beside ?? '');
  element('text').value = kept.text;
  element('example').value = kept.name ?? '';
  element('block').value = kept.block ?? '';
  element('plan').checked = kept.plan !== 0;
  padding = numbers(kept.padding);
  given = numbers(kept.given);
  kernel_name = String(kept.kernel ?? '');
  chosen_machines = {machine, beside};
  for (const [list, name] of Object.entries(chosen_machines)) element(list).value = name;
  return true;
}

async function share() {
  history.replaceState(null, '', link());
  try {
    await navigator.clipboard.writeText(location.href);
    element('shared').textContent = 'copied';
  } catch {
    element('shared').textContent = 'the address of this page is the link';
  }
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

function show(text) {
  last_answer = text;
  const found = JSON.parse(text);
  show_kernels(found.kernels, found.kernel);
  show_arguments(found.arguments);
  show_error(found.error ?? '');
  if (found.error) return;
  show_paddings(found.arrays);
  element('block').placeholder = found.block_assumed ? `assumed: ${found.block}` : found.block;
  element('styles').textContent = found.styles;
  const unfolded = [...element('results').querySelectorAll('details[open]')].map((one) => one.id);
  // The engine's own page, whose texts it has escaped.
  element('results').innerHTML = found.page;
  for (const id of unfolded)
    if (id && element(id)) element(id).open = true;
  set_state('done');
  element('doing').textContent =
      `one block of ${found.block.replaceAll('x', ' x ')} threads, counted in ${
          Math.round(performance.now() - began)} ms`;
}

// A link within the results leads to a line: the address stays that of the question.
function follow(event) {
  const to = event.target.closest?.('a[href^="#"]');
  if (!to) return;
  event.preventDefault();
  const line = element(to.getAttribute('href').slice(1));
  if (!line) return;
  if (line.tagName === 'DETAILS') line.open = true;
  element('results').querySelectorAll('.reached').forEach((one) => one.classList.remove('reached'));
  line.classList.add('reached');
  line.scrollIntoView({block: 'center'});
  (line.querySelector('summary') ?? line).focus();
}

// ---- the beginning ----

for (const one of document.querySelectorAll('script.example'))
  element('example').add(new Option(one.dataset.name));
element('example').onchange = ({target}) => choose_example(target.value);
for (const id of ['machine', 'beside', 'plan']) element(id).onchange = ask;
element('block').oninput = ask;
element('kernel').onchange = ({target}) => {
  kernel_name = target.value;
  given = {};
  ask();
};
element('stop').onclick = stop;
element('go').onclick = go_to_error;
element('share').onclick = share;
element('results').onclick = follow;
element('text').oninput = ask;
// What takes long says for how long already.
setInterval(() => {
  const seconds = Math.floor((performance.now() - began) / 1000);
  if (document.body.dataset.state === 'busy' && ready && seconds > 0)
    element('doing').textContent = `counting for ${seconds} s; ${noted}`;
}, 500);
start_worker();
window.addEventListener('hashchange', () => take_link() && ask());
if (take_link()) {
  ask();
} else {
  element('example').value = 'tile';
  choose_example('tile');
}
