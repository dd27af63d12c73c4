// SPDX-License-Identifier: MIT
#pragma once

namespace compiled {

// Of the page in HTML. A line to which a link leads unfolds.
inline constexpr const char* link_script = R"js(
function unfoldTarget() {
  const line = document.getElementById(location.hash.slice(1));
  if (line !== null && line.tagName === 'DETAILS') line.open = true;
}
if (typeof location !== 'undefined') {
  addEventListener('hashchange', unfoldTarget);
  unfoldTarget();
}
)js";

// Below each formula its value with the numbers in the section's fields. The
// page has all formulas without it.
inline constexpr const char* formula_script = R"js(
function valueOf(expression, numbers) {
  if (typeof expression === 'number') {
    if (!Number.isSafeInteger(expression)) throw new RangeError('a number of more than 53 bits');
    return BigInt(expression);
  }
  if (typeof expression === 'string') {
    const number = numbers.get(expression);
    if (typeof number !== 'bigint') throw new RangeError('no number for ' + expression);
    return number;
  }
  const [[operation, operands]] = Object.entries(expression);
  const values = operands.map(one => valueOf(one, numbers));
  const [left, right] = values;
  switch (operation) {
    case 'add': return values.reduce((sum, one) => sum + one);
    case 'multiply': return values.reduce((product, one) => product * one);
    case 'ceil_divide': return left / right + (left % right > 0n ? 1n : 0n);
    case 'maximum': return left > right ? left : right;
    case 'minimum': return left < right ? left : right;
    case 'is_positive': return left > 0n ? 1n : 0n;
    case 'is_not_zero': return left !== 0n ? 1n : 0n;
    default: throw new RangeError(operation);
  }
}
function columnsOf(row) {
  return [row.requests, row.wavefronts ?? row.transactions, row.ideal,
          row.most_wavefronts ?? row.most_transactions];
}
function showValues(section) {
  const numbers = new Map();
  for (const field of section.querySelectorAll('input[data-symbol]'))
    numbers.set(field.dataset.symbol, /^\d+$/.test(field.value) ? BigInt(field.value) : null);
  const text = expression => {
    try {
      return valueOf(expression, numbers).toLocaleString('en-US');
    } catch {
      return '?';
    }
  };
  for (const table of section.querySelectorAll('table[data-formulas]'))
    JSON.parse(table.dataset.formulas).forEach((row, number) => {
      const cells = table.rows[number + 1].cells, [requests, units, ideal, most] = columnsOf(row);
      [requests, units, ideal].forEach((expression, column) => {
        const cell = cells[column + 2];
        const output = cell.querySelector('output') ?? document.createElement('output');
        const range = column === 1 && most !== undefined ? ' .. ' + text(most) : '';
        output.textContent = '= ' + text(expression) + range;
        cell.append(output);
      });
    });
}
if (typeof document !== 'undefined')
  for (const section of document.querySelectorAll('section')) {
    if (section.querySelector('input[data-symbol]') === null) continue;
    section.addEventListener('input', () => showValues(section));
    showValues(section);
  }
)js";

}  // namespace compiled
