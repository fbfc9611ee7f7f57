// How long a person waits, on a project of their own: `PARAVENT=… node tests/measure.mjs PROJECT TABLE`.
// PROJECT has a job with a promise of k; TABLE is dropped on the page as a person would drop it.

import { cpSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { close, folder, go, settled, start, visit } from './server.mjs';

const [project, table] = process.argv.slice(2).map((one) => resolve(one));
const copy = folder();
cpSync(project, copy, { recursive: true, filter: (name) => basename(name) !== basename(table) });
const server = await start(copy);
const { page } = await visit(server);
const now = () => page.evaluate(() => performance.now());
const told = (what, milliseconds) => console.log(`${what}: ${Math.round(milliseconds)} ms`);

let since = await now();
await page.locator('#table').setInputFiles(table);
await page.getByText('kept until the program ends').first().waitFor();
await go(page, 'goals');
await page.getByText('proven best').first().waitFor();
told('from drop to first solution', (await now()) - since);
await settled(page);

const k = page.locator('li', { hasText: 'Nobody stands out' }).locator('input');
for (const value of ['6', '7', '8', '10']) {
  await k.fill(value);
  since = await now();
  await k.press('Enter');
  await page.getByRole('cell', { name: `k = ${value}`, exact: true }).first().waitFor();
  told(`k = ${value} to new optimum`, (await now()) - since);
  await settled(page);
}

await go(page, 'solutions');
since = await now();
await page.getByRole('button', { name: 'Stop' }).waitFor();
await settled(page);
told(`scatter filled (${await page.getByTestId('looked-at').textContent()})`, (await now()) - since);

const frames = page.evaluate(() => new Promise((done) => {
  const times = [];
  let last = performance.now();
  const step = (time) => {
    times.push(time - last);
    last = time;
    if (times.length < 180) requestAnimationFrame(step);
    else done(times.toSorted((a, b) => a - b));
  };
  requestAnimationFrame(step);
}));
const box = await page.locator('canvas').boundingBox();
await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await page.mouse.down();
for (let step = 0; step < 160; step += 1) await page.mouse.move(box.x + box.width / 2 + 120 * Math.sin(step / 8), box.y + box.height / 2 + 60 * Math.cos(step / 8));
await page.mouse.up();
const times = await frames;
told('frame while panning, 95th percentile', times[Math.floor(times.length * 0.95)]);
await close();
await server.end();
server.remove();
