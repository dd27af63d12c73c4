// SPDX-License-Identifier: MIT
// Pages in HTML in a headless browser, on a desk and on a phone:
//   node html_page.mjs folder-for-screenshots page.html..
import assert from 'node:assert/strict';
import {statSync, writeFileSync} from 'node:fs';
import {basename, join, resolve} from 'node:path';

import {Browser} from '../support/browser.mjs';

const [pictures, ...pages] = process.argv.slice(2);
const browser = await Browser.start(process.env.CHROMIUM ?? 'chromium');
let checks = 0;
function same(found, wanted, what) {
  assert.deepEqual(found, wanted, what);
  ++checks;
}

async function open(page) {
  await browser.send('Page.navigate', {url: `file://${resolve(page)}`});
  await browser.until(`document.readyState === 'complete' && document.querySelector('h1') !== null`);
}

// Everything that is shown, without pictures, which scroll in their frames, is between the edges.
const outside = `[...document.querySelectorAll('main *:not(svg *, figure *)')].filter((one) => {
  const {left, right, width} = one.getBoundingClientRect();
  return width > 0 && (left < 0 || right > innerWidth + 1 || one.scrollWidth > one.clientWidth + 1 &&
                       getComputedStyle(one).display !== 'inline' && one.querySelector('svg') === null);
}).map((one) => one.outerHTML.slice(0, 120))`;

// Text smaller than this is not read on a phone.
const small = `[...document.querySelectorAll('main *:not(svg, svg *)')].filter(
    (one) => one.childElementCount === 0 && one.textContent.trim() !== '' &&
             parseFloat(getComputedStyle(one).fontSize) < 12).map((one) => one.outerHTML.slice(0, 120))`;

async function fits(page, width, height, device) {
  await browser.send(
      'Emulation.setDeviceMetricsOverride',
      {width, height, deviceScaleFactor: 1, mobile: device === 'phone'});
  await open(page);
  if (pictures !== '')
    writeFileSync(join(pictures, `${basename(page)}_${device}.png`), await browser.screenshot());
  await browser.value(
      `document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
  same(await browser.value(`innerWidth`), width, `${page} is laid out wider than ${device}`);
  same(await browser.value(`document.documentElement.scrollWidth <= innerWidth`), true, page);
  same(await browser.value(outside), [], `cut on ${device}: ${page}`);
  same(await browser.value(small), [], `too small on ${device}: ${page}`);
}

// Each row leads to its line, which unfolds.
async function links(page) {
  await open(page);
  const rows = await browser.value(
      `[...document.querySelectorAll('td a')].map((one) => [one.getAttribute('href'), one.textContent])`);
  assert(rows.length > 0, `no row of ${page} leads to a line`);
  for (const [to, place] of rows) {
    await browser.value(`location.hash = ''; document.querySelector('td a[href="${to}"]').click()`);
    await browser.until(`location.hash === '${to}' && document.querySelector('${to}').open`);
    const line = await browser.value(`document.querySelector('${to} .number').textContent`);
    same(line, /:(\d+)/.exec(place)[1], `${place} leads to line ${line}`);
    same(
        await browser.value(`(({top, bottom}) => bottom > 0 && top < innerHeight)(
            document.querySelector('${to} summary').getBoundingClientRect())`),
        true, `${place} is not in view`);
  }
  const all = await browser.value(`[...document.querySelectorAll('a')].map(
      (one) => one.getAttribute('href')).filter((to) => document.querySelector(to) === null)`);
  same(all, [], `links of ${page} that lead nowhere`);
  const ids = await browser.value(`[...document.querySelectorAll('[id]')].map((one) => one.id)`);
  same(new Set(ids).size, ids.length, `identifiers of ${page} that are not alone`);
}

// The fields of unknown arguments change the values below the formulas.
async function fields(page) {
  await open(page);
  const values = `[...document.querySelectorAll('td output')].map((one) => one.textContent)`;
  const before = await browser.value(values);
  if (before.length === 0) return;
  await browser.value(`document.querySelectorAll('input[data-symbol]').forEach((one) => {
    one.value = 4096;
    one.dispatchEvent(new Event('input', {bubbles: true}));
  })`);
  assert.notDeepEqual(await browser.value(values), before, `the fields of ${page} change nothing`);
  ++checks;
}

try {
  for (const page of pages) {
    const {size} = statSync(page);
    assert(size < 300000, `${page} has ${size} bytes`);
    await fits(page, 390, 844, 'phone');
    await fits(page, 1280, 900, 'desk');
    await links(page);
    await fields(page);
  }
  same(browser.requested.filter((one) => !/^(file|data):/.test(one)), [], 'outside references');
  same(browser.complaints, [], 'exceptions in a page');
  console.log(`pages: ${checks} checks`);
} catch (why) {
  console.error(why.stack ?? why);
  process.exitCode = 1;
} finally {
  browser.stop();
}
