// Does the page stay alive with millions of rows? `PARAVENT=… node tests/large.mjs TABLE`: drops the table, takes the proposal, waits for the best release.
// Tells times, the longest time that the page did not answer, and the most memory that the program held.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { close, folder, go, start, visit } from './server.mjs';

const table = resolve(process.argv[2]);
const server = await start(folder(), '--data-limit', '100000');
const { page } = await visit(server);
page.setDefaultTimeout(1_800_000);
const told = (what, milliseconds) => console.log(`${what}: ${(milliseconds / 1000).toFixed(1)} s`);
const now = () => page.evaluate(() => performance.now());
await page.evaluate(() => {
  globalThis.blocked = 0;
  globalThis.phases = new Set();
  new PerformanceObserver((list) => { for (const one of list.getEntries()) globalThis.blocked = Math.max(globalThis.blocked, one.duration); }).observe({ type: 'longtask', buffered: true });
  setInterval(() => { const shown = document.querySelector('.progress.shown')?.textContent?.replace(/[\d.,\s]+/g, ' ').trim(); if (shown) globalThis.phases.add(shown); }, 50);
});

let since = await now();
await page.locator('#table').setInputFiles(table);
await page.getByText('kept until the program ends').first().waitFor();
told('taken in', (await now()) - since);
since = await now();
await page.getByRole('button', { name: 'Propose a job' }).click();
await page.locator('.list').waitFor();
told('columns shown', (await now()) - since);
await go(page, 'goals');
await page.getByText(/proven best|best so far/).first().waitFor();
told('best release shown', (await now()) - since);
const k = page.locator('li', { hasText: 'Nobody stands out' }).locator('input');
await k.fill('7');
since = await now();
await k.press('Enter');
await page.getByRole('cell', { name: 'k = 7', exact: true }).first().waitFor();
told('another k', (await now()) - since);
console.log(`longest time without an answer: ${Math.round(await page.evaluate(() => globalThis.blocked))} ms`);
console.log(`progress: ${(await page.evaluate(() => [...globalThis.phases])).join(' | ')}`);
console.log(/VmHWM.*/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[0]);
await close();
await server.end();
server.remove();
