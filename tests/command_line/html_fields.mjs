// SPDX-License-Identifier: MIT
// node html_fields.mjs PAGE NUMBERS: prints the values that the script of a page in HTML shows
// below its formulas, a line for each row: at first, and with these numbers in its fields,
// {"n": "64"}. The page's elements are as few as the script needs.
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const page = readFileSync(process.argv[2], 'utf8');
const numbers = JSON.parse(process.argv[3]);
const entities = { '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
const text = part => part.replace(/&[#a-z0-9]+;/g, entity => entities[entity] ?? entity);

const table_pattern = /<table data-formulas="([^"]*)">([^]*?)<\/table>/g;
const tables = [...page.matchAll(table_pattern)].map(([, formulas, rows]) => ({
  dataset: { formulas: text(formulas) },
  rows: [...rows.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, cells]) => ({
    cells: [...cells.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, content]) => ({
      content: text(content), output: null,
      querySelector() { return this.output; },
      append(output) { this.output = output; },
    })),
  })),
}));
const field_pattern = /data-symbol="([^"]*)" value="([^"]*)"/g;
const fields = [...page.matchAll(field_pattern)].map(([, symbol, value]) => ({
  dataset: { symbol: text(symbol) },
  value,
}));
if (tables.length === 0 || fields.length === 0) throw new Error('no formulas or no fields');
let changed;
const section = {
  querySelector: () => fields[0],
  querySelectorAll: what => (what.startsWith('input') ? fields : tables),
  addEventListener: (kind, action) => { changed = action; },
};
vm.runInNewContext(page.match(/<script>([^]*)<\/script>/)[1],
                   { document: { querySelectorAll: () => [section], createElement: () => ({}) } });
const shownRow = row =>
  [row.cells[0].content, ...row.cells.slice(2).map(cell => cell.output.textContent)].join(' ');
const shown = () => tables.flatMap(table => table.rows.slice(1)).map(shownRow);
console.log(shown().join('\n'));
for (const field of fields) field.value = String(numbers[field.dataset.symbol] ?? field.value);
changed();
console.log('changed\n' + shown().join('\n'));
