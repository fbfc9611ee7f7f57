// Pictures of every view: `PARAVENT=… node tests/pictures.mjs FOLDER`. Looked at by people; the docs keep some.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { policy } from './policy.mjs';
import { close, folder, go, program, settled, start, visit } from './server.mjs';

const target = process.argv[2] ?? 'pictures';
mkdirSync(target, { recursive: true });
const views = ['start', 'columns', 'hierarchies', 'goals', 'solutions', 'compare', 'risk', 'release', 'register', 'policy', 'joint'];
const forms = [
  { name: 'light-en', locale: 'en-GB', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'dark-de', locale: 'de-DE', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'small-en', locale: 'en-GB', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'small-de', locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
].filter((form) => !process.argv[3] || form.name === process.argv[3]);

const server = await start(folder());
let first = true;
for (const { name, ...options } of forms) {
  const { page, context } = await visit(server, options);
  if (first) {
    await page.screenshot({ path: join(target, `empty-${name}.png`) });
    await page.locator('main .card button').first().click();
    await page.locator('.list').waitFor();
    await settled(page);
    await go(page, 'release');
    await settled(page);
    await page.locator('main button', { hasText: /key|schlüssel/ }).click();
    await page.locator('main button.main').first().click();
    await page.locator('.files').waitFor();
    writeFileSync(join(server.project, 'policy.toml'), policy);
    const party = (...args) => execFileSync(program, ['party', ...args], { cwd: server.project, stdio: 'pipe' });
    party('invite', 'paravent.toml', '--run', 'registry 2026', '--protocol', 'b', '--party', 'clinic-a', '--party', 'clinic-b', '--helper', 'trustee', '--me', 'clinic-a');
    party('keygen', '--name', 'clinic-a');
    party('join', 'federation.toml', 'paravent.toml', '--me', 'clinic-a', '--address', 'clinic-a.example:7001', '--certificate', 'clinic-a.cert.pem', '--answer', 'clinic-a.answer.toml');
    first = false;
  }
  for (const view of views) {
    // Not every build can answer questions.
    if ((await page.locator(`nav [data-view=${view}]`).count()) === 0) continue;
    await go(page, view);
    await settled(page);
    if (view === 'solutions') { await page.getByTestId('looked-at').waitFor(); await page.waitForTimeout(400); await settled(page); }
    if (view === 'hierarchies') { await page.getByRole('tab', { name: 'age' }).click(); await page.locator('[role=treeitem]').nth(3).waitFor(); }
    if (view === 'compare') { await page.locator('main select').nth(0).selectOption('age'); await page.locator('main select').nth(1).selectOption('diagnosis'); await page.locator('.heat').first().waitFor(); }
    if (view === 'risk') { await page.locator('main button.main').click(); await settled(page); await page.locator('main table').last().waitFor(); }
    if (view === 'policy') {
      await page.locator('main textarea').fill('SELECT sex, count(*) FROM patients GROUP BY sex');
      await page.locator('main button.main').click();
      await page.getByTestId('answer').waitFor();
    }
    if (view === 'joint') await page.getByTestId('learned').waitFor();
    await settled(page);
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(target, `${view}-${name}.png`), fullPage: true });
  }
  await context.close();
}
await close();
await server.end();
server.remove();
