// Pictures of every view: `PARAVENT=… node tests/pictures.mjs FOLDER`. Looked at by people; the docs keep some.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { close, folder, go, settled, start, visit } from './server.mjs';

const target = process.argv[2] ?? 'pictures';
mkdirSync(target, { recursive: true });
const views = ['start', 'columns', 'hierarchies', 'goals', 'solutions', 'compare', 'risk', 'release', 'register'];
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
    first = false;
  }
  for (const view of views) {
    await go(page, view);
    await settled(page);
    if (view === 'hierarchies') { await page.getByRole('tab', { name: 'age' }).click(); await page.locator('[role=treeitem]').nth(3).waitFor(); }
    if (view === 'compare') { await page.locator('main select').nth(0).selectOption('age'); await page.locator('main select').nth(1).selectOption('diagnosis'); await page.locator('.heat').first().waitFor(); }
    if (view === 'risk') { await page.locator('main button.main').click(); await settled(page); await page.locator('main table').last().waitFor(); }
    await settled(page);
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(target, `${view}-${name}.png`), fullPage: true });
  }
  await context.close();
}
await close();
await server.end();
server.remove();
