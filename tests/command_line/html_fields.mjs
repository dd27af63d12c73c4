// SPDX-License-Identifier: MIT
// node html_fields.mjs PAGE NUMBERS: the values that the script of a page in HTML shows below its formulas with these numbers,
// {"n": 64}, one line a row. The page's elements are as few as the script needs.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const page = readFileSync(process.argv[2], 'utf8');
const numbers = JSON.parse(process.argv[3]);
const text = part => part.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const tables = [...page.matchAll(/<table data-formulas="([^"]*)">([^]*?)<\/table>/g)].map(([, formulas, rows]) => ({
  dataset: { formulas: text(formulas) },
  rows: [...rows.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, cells]) => ({
    cells: [...cells.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, content]) => ({
      content: text(content), output: null,
      querySelector() { return this.output; },
      append(output) { this.output = output; },
    })),
  })),
}));
const fields = [...page.matchAll(/data-symbol="([^"]*)" value="([^"]*)"/g)].map(([, symbol, value]) => ({ dataset: { symbol: text(symbol) }, value }));
if (tables.length === 0 || fields.length === 0) throw new Error('no formulas or no fields');
let changed;
const section = {
  querySelector: () => fields[0],
  querySelectorAll: what => (what.startsWith('input') ? fields : tables),
  addEventListener: (kind, action) => { changed = action; },
};
vm.runInNewContext(page.match(/<script>([^]*)<\/script>/)[1],
                   { document: { querySelectorAll: () => [section], createElement: () => ({}) } });
const shown = () => tables.flatMap(table => table.rows.slice(1)).map(
    row => [row.cells[0].content, ...row.cells.slice(2).map(cell => cell.output.textContent)].join(' '));
console.log(shown().join('\n'));
for (const field of fields) field.value = String(numbers[field.dataset.symbol] ?? field.value);
changed();
console.log('changed\n' + shown().join('\n'));
