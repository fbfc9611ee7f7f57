// The report in a real browser: on a phone, on a wide screen and on paper, in every language, the one for the house and the one that is handed out.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accessible } from './axe.mjs';
import { close, folder, open, program } from './server.mjs';

after(close);

/** What is left of a sheet of A4 inside the margins, at 96 pixels per inch. */
const sheet = { width: Math.floor((210 - 32) / 25.4 * 96), height: Math.floor((297 - 35) / 25.4 * 96) };

const about = ['title="Stationäre Fälle 2024 – Universitätsklinikum Beispielstadt"', 'purpose="Studie zur Verweildauer"', 'recipient="Institut für Medizininformatik"',
  'legal_basis="DSGVO Art. 89, Landeskrankenhausgesetz"', 'author="Datenintegrationszentrum"', 'date="2026-03-09"'];

function release(lang) {
  const place = folder();
  execFileSync(program, ['demo', join(place, 'demo'), '--quiet']);
  const set = [`output.lang="${lang}"`, 'output.register=false', ...about.map((line) => `about.${line}`)].flatMap((line) => ['--set', line]);
  execFileSync(program, ['anonymize', join(place, 'demo', 'paravent.toml'), '--quiet', '--output', join(place, lang), ...set]);
  return [join(place, lang, 'report.html'), join(place, `${lang}.private`, 'report.html')];
}

for (const lang of ['en', 'de']) {
  test(`the report fits everywhere: ${lang}`, async () => {
    for (const file of release(lang)) {
      const context = await (await open()).newContext({ viewport: { width: 390, height: 844 } });
      const page = await context.newPage();
      await page.goto(`file://${file}`);
      assert.equal(await page.locator('html').getAttribute('lang'), lang);
      for (const width of [320, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        const widths = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.equal(widths[0], widths[1], `${file} at ${width}`);
      }
      await accessible(page, `${lang} report`);
      // On paper the summary is one page, and the lines to sign on are on it.
      await page.setViewportSize({ width: sheet.width, height: sheet.height });
      await page.emulateMedia({ media: 'print' });
      const bottom = await page.evaluate(() => document.querySelector('.sign-here').getBoundingClientRect().bottom + scrollY);
      assert.ok(bottom > 0 && bottom <= sheet.height, `${file}: ${bottom} of ${sheet.height}`);
      assert.equal(await page.locator('.signatures').isVisible(), false);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off at the margin');
      await context.close();
    }
  });
}
