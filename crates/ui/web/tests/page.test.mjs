// The page in a real browser: `check` beside this folder runs it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { accessible } from './axe.mjs';
import { policy } from './policy.mjs';
import { close, folder, go, program, settled, start, visit } from './server.mjs';
import { adultLike } from './tables.mjs';

after(close);
const views = ['start', 'columns', 'hierarchies', 'goals', 'solutions', 'compare', 'risk', 'release', 'register', 'policy', 'joint'];

/** The same job by the command line, in another folder: every file of the release must have the same bytes. */
function sameBytesAsTheCommandLine(project, files, input) {
  const other = folder();
  for (const name of files) {
    mkdirSync(join(other, name, '..'), { recursive: true });
    cpSync(join(project, name), join(other, name), { recursive: true });
  }
  execFileSync(program, ['anonymize', join(other, 'paravent.toml'), ...(input ? ['--input', input] : [])]);
  const names = readdirSync(join(project, 'release')).sort();
  assert.deepEqual(names, readdirSync(join(other, 'release')).sort());
  for (const name of names) assert.ok(readFileSync(join(project, 'release', name)).equals(readFileSync(join(other, 'release', name))), name);
  execFileSync(program, ['verify', join(project, 'release'), '--key', join(project, 'paravent.key.pub')]);
}

/** Nothing hangs over the edge of a small screen. */
async function narrow(page, where) {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${where} is wider than the screen by ${wide} px`);
  await page.setViewportSize(before);
}

async function makeSignedRelease(page) {
  await go(page, 'release');
  await page.getByRole('button', { name: 'Make a signing key' }).click();
  await page.getByText('Signed with').first().waitFor();
  await page.getByRole('button', { name: 'Make and verify the release' }).click();
  await page.getByText('verified', { exact: true }).first().waitFor();
  await page.locator('.tag', { hasText: 'signed' }).first().waitFor();
}

/** The page writes the file a moment after it shows the change. */
async function eventually(read, pattern) {
  for (let tries = 0; tries < 200 && !pattern.test(read()); tries += 1) await new Promise((done) => setTimeout(done, 50));
  assert.match(read(), pattern);
}

test('the tour on the demo: from nothing to a signed, verified release', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  await page.getByRole('button', { name: 'Begin with the demo' }).click();
  await page.getByLabel('Role of zip').waitFor();
  assert.equal(await page.getByLabel('Role of zip').inputValue(), 'quasi-identifier');
  await settled(page);
  for (const view of views) {
    await go(page, view);
    await settled(page);
    await accessible(page, view);
  }
  await makeSignedRelease(page);
  await accessible(page, 'release, made');
  await narrow(page, 'release, made');
  const download = page.waitForEvent('download');
  await page.locator('li', { hasText: 'data.csv' }).getByRole('button').click();
  const saved = await (await download).path();
  assert.ok(readFileSync(saved).equals(readFileSync(join(server.project, 'release', 'data.csv'))));
  assert.equal(await page.getByTestId('command').textContent(), 'paravent anonymize paravent.toml');
  await go(page, 'compare');
  await page.getByRole('button', { name: 'Compare the release' }).click();
  await page.getByRole('region', { name: 'Predictions' }).waitFor();
  await settled(page);
  await accessible(page, 'compare, released');
  await narrow(page, 'compare, released');
  await go(page, 'risk');
  await page.getByRole('button', { name: 'Run the attacks' }).click();
  await page.getByText('no promise is broken').first().waitFor();
  await settled(page);
  await accessible(page, 'risk, attacked');
  await narrow(page, 'risk, attacked');
  await go(page, 'register');
  await page.getByText('in place').first().waitFor();
  await accessible(page, 'register, filled');
  await narrow(page, 'register, filled');
  await go(page, 'release');
  await page.getByLabel('Folder of the release').fill('release-2');
  await page.getByLabel('Folder of the release').press('Enter');
  await eventually(() => readFileSync(join(server.project, 'paravent.toml'), 'utf8'), /path = "release-2"/);
  await page.getByRole('button', { name: 'Make and verify the release' }).and(page.locator(':enabled')).click();
  await page.getByRole('heading', { name: 'The release release-2' }).waitFor();
  await go(page, 'register');
  await page.getByText(/with 1: /).first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(() => readFileSync(join(server.project, 'paravent.toml'), 'utf8'), /path = "release"/);
  quiet();
  assert.equal(await server.end(), 0);
  assert.deepEqual(readdirSync(server.project).filter((name) => name.startsWith('.paravent-ui')), []);
  sameBytesAsTheCommandLine(server.project, ['paravent.toml', 'patients.csv', 'paravent.key', 'hierarchies']);
  server.remove();
});

test('the tour on a dropped table of the shape of ADULT', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  const table = adultLike(5000);
  await page.locator('#table').setInputFiles({ name: 'adult.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
  await page.getByText('kept until the program ends').first().waitFor();
  await page.getByRole('button', { name: 'Propose a job' }).click();
  await page.getByLabel('Role of education').waitFor();
  await go(page, 'solutions');
  await page.getByRole('heading', { name: 'The best transformation' }).waitFor();
  await settled(page);
  await go(page, 'goals');
  await page.getByText('proven best').first().waitFor();
  await makeSignedRelease(page);
  assert.equal(await page.getByTestId('command').textContent(), 'paravent anonymize paravent.toml --input adult.csv');
  const hidden = readdirSync(server.project).find((name) => name.startsWith('.paravent-ui-'));
  assert.equal(statSync(join(server.project, hidden, 'adult.csv')).mode & 0o777, 0o600);
  quiet();
  await server.end();
  assert.ok(!existsSync(join(server.project, hidden)));
  const kept = join(folder(), 'adult.csv');
  writeFileSync(kept, table);
  sameBytesAsTheCommandLine(server.project, ['paravent.toml', 'paravent.key'], kept);
  server.remove();
});

test('columns, hierarchies and goals change the job, and the job text changes them', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  const job = () => readFileSync(join(server.project, 'paravent.toml'), 'utf8');
  await page.getByRole('button', { name: 'Begin with the demo' }).click();
  await page.getByLabel('Role of length_of_stay').selectOption('quasi-identifier');
  await page.waitForFunction(() => document.querySelector('[aria-label="Role of length_of_stay"]')?.value === 'quasi-identifier');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.querySelector('[aria-label="Role of length_of_stay"]')?.value === 'insensitive');
  await page.keyboard.press('Control+y');
  await page.waitForFunction(() => document.querySelector('[aria-label="Role of length_of_stay"]')?.value === 'quasi-identifier');
  await eventually(job, /name = "length_of_stay".*\nrole = "quasi-identifier"/);
  await page.keyboard.press('Control+z');
  await page.getByLabel('Choose sex').check();
  await page.getByLabel('Choose zip').check();
  await page.getByLabel('Role for the chosen columns').selectOption('insensitive');
  await page.getByRole('button', { name: 'Set role' }).click();
  await page.waitForFunction(() => document.querySelector('[aria-label="Role of zip"]')?.value === 'insensitive');
  await page.getByRole('button', { name: 'Undo' }).click();

  await go(page, 'hierarchies');
  await page.getByRole('tab', { name: 'age' }).click();
  await page.getByLabel('Widths').fill('10, 50');
  await page.getByRole('button', { name: 'Use this' }).click();
  await page.locator('table tbody tr').nth(3).waitFor();
  await eventually(job, /widths = \[10, 50\]/);
  await eventually(job, /# Identifying columns are dropped\./);
  await page.getByRole('treeitem').first().waitFor();
  await page.getByLabel('Widths').fill('10, 15');
  await page.getByRole('button', { name: 'Use this' }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('tab', { name: 'sex' }).click();
  await page.getByLabel('Kind').selectOption('file');
  await page.getByLabel('Import a hierarchy').setInputFiles({ name: 'sex.csv', mimeType: 'text/csv', buffer: Buffer.from('f;person;*\nm;person;*\nd;person;*\n') });
  await page.getByText('hierarchies/sex.csv', { exact: true }).first().waitFor();
  await eventually(job, /file = "hierarchies\/sex.csv"/);
  await page.getByRole('button', { name: 'Undo' }).click();

  await go(page, 'goals');
  const k = page.locator('li', { hasText: 'Nobody stands out' }).locator('input');
  await k.fill('20');
  await k.press('Enter');
  await page.getByText('Nobody stands out among fewer than 20').first().waitFor();
  await page.getByRole('cell', { name: 'k = 20', exact: true }).first().waitFor();
  await k.fill('0');
  await k.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();

  await page.getByRole('button', { name: 'Job text' }).click();
  const text = page.getByLabel('Text of the job file');
  await text.fill(job().replace('k = 20', 'k = 8'));
  await text.press('Control+s');
  await page.getByText('Nobody stands out among fewer than 8').first().waitFor();
  await text.fill(`${await text.inputValue()}\nnonsense = 1\n`);
  await page.reload();
  await page.getByRole('button', { name: 'Job text' }).click();
  assert.match(await page.getByLabel('Text of the job file').inputValue(), /nonsense/, 'what was typed survives a reload');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: /line \d+/ }).first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('No problems.').first().waitFor();
  writeFileSync(join(server.project, 'paravent.toml'), job().replace('k = 8', 'k = 6'));
  await page.getByText('Nobody stands out among fewer than 6').first().waitFor();
  await page.getByText('changed outside this page').first().waitFor();
  quiet();
  await server.end();
  server.remove();
});

test('solutions are explored, chosen, pinned and compared; none is told with a way out', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  await page.getByRole('button', { name: 'Begin with the demo' }).click();
  await page.getByLabel('Role of zip').waitFor();
  await go(page, 'solutions');
  await page.getByRole('heading', { name: 'The best transformation' }).waitFor();
  await settled(page);
  const looked = await page.getByTestId('looked-at').textContent();
  const [seen, all] = looked.match(/[\d,]+/g).map((one) => Number(one.replace(',', '')));
  assert.equal(seen, all);
  await page.getByRole('button', { name: 'Pin to compare' }).click();
  await page.getByRole('button', { name: /: finer$/ }).and(page.locator(':enabled')).first().click();
  await page.getByRole('heading', { name: 'The chosen transformation' }).waitFor();
  await page.getByText('Why not').first().waitFor();
  await page.getByRole('button', { name: 'Pin to compare' }).click();
  await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  await accessible(page, 'solutions, pinned');
  const pins = page.getByRole('region', { name: 'Pinned' }).locator('thead button');
  for (let more = 0; more < 3; more += 1) {
    const before = await page.locator('.levels').first().innerText();
    await page.getByRole('button', { name: /: coarser$/ }).and(page.locator(':enabled')).first().click();
    await page.waitForFunction((text) => document.querySelector('.levels').innerText !== text, before);
    await page.getByRole('button', { name: 'Pin to compare' }).and(page.locator(':enabled')).click();
  }
  assert.equal(await pins.count(), 4, 'four, and the oldest goes');
  const chosen = await page.locator('.levels').first().innerText();
  await page.reload();
  await pins.nth(3).waitFor();
  await page.getByRole('heading', { name: 'The chosen transformation' }).waitFor();
  assert.equal(await page.locator('.levels').first().innerText(), chosen, 'a reload loses neither pins nor choice');
  await settled(page);
  const canvas = page.locator('canvas');
  await canvas.focus();
  for (const key of ['+', '+', 'ArrowLeft', 'ArrowUp', '-', '0']) await page.keyboard.press(key);
  await page.getByText('Filter').first().click();
  await page.getByLabel('only those that keep all promises').check();
  await page.getByRole('region', { name: 'List' }).locator('tbody button').nth(3).click();
  await page.getByText('keeps all promises', { exact: true }).first().waitFor();
  await go(page, 'compare');
  await page.locator('main select').first().selectOption('age');
  await page.locator('main select').nth(1).selectOption('diagnosis');
  await page.getByRole('heading', { name: 'age × diagnosis: Output' }).waitFor();
  await settled(page);
  await accessible(page, 'compare, pairs');
  await go(page, 'goals');
  // Ages must stay as they are, and nobody may stand out among fewer than 100.
  const file = join(server.project, 'paravent.toml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('name = "age"', 'name = "age"\nmax_level = 0').replace('k = 5', 'k = 100'));
  await page.getByText('Each of these changes alone would do').first().waitFor();
  await accessible(page, 'goals, infeasible');
  await page.getByRole('button', { name: 'Do this' }).first().click();
  await page.getByText('proven best').first().waitFor();
  quiet();
  await server.end();
  server.remove();
});

test('the whole tour by keyboard alone', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  /** Tabs on until the element with that name has the focus. */
  async function tabTo(name) {
    for (let step = 0; step < 400; step += 1) {
      await page.keyboard.press('Tab');
      const here = await page.evaluate(() => {
        const one = document.activeElement;
        return one?.getAttribute('aria-label') ?? one?.textContent?.trim() ?? '';
      });
      if (here.replace(/^\d/, '') === name) {
        const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.notEqual(outline, 'none', `${name} shows that it has the focus`);
        return;
      }
    }
    assert.fail(`no way to ${name}`);
  }
  await tabTo('Begin with the demo');
  await page.keyboard.press('Enter');
  await page.getByLabel('Role of zip').waitFor();
  await settled(page);
  for (const name of ['Hierarchies', 'Goals', 'Solutions', 'Compare', 'Risk', 'Release']) {
    await page.evaluate(() => document.activeElement?.blur());
    await tabTo(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await settled(page);
  }
  await tabTo('Make a signing key');
  await page.keyboard.press('Enter');
  await page.getByText('Signed with').first().waitFor();
  await tabTo('Make and verify the release');
  await page.keyboard.press('Space');
  await page.getByText('verified', { exact: true }).first().waitFor();
  quiet();
  await server.end();
  server.remove();
});

test('small screens, dark colours, German, reload, and a program that is gone', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server, { viewport: { width: 390, height: 844 }, locale: 'de-DE', colorScheme: 'dark' });
  assert.equal(new URL(page.url()).hash, '', 'the token leaves the address at once');
  await page.getByRole('button', { name: 'Mit der Demo beginnen' }).click();
  await page.getByLabel('Rolle von zip').waitFor();
  for (const view of views) {
    await go(page, view);
    await settled(page);
    await narrow(page, view);
    await accessible(page, `${view}, small and dark`);
  }
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Gemeinsamer Lauf' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  await page.getByLabel('Sprache').selectOption('en');
  await page.getByRole('button', { name: 'Solutions' }).waitFor();
  await page.getByLabel('Colours').selectOption('light');
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light');
  await page.setViewportSize({ width: 2400, height: 1200 });
  for (const view of views) {
    await go(page, view);
    await settled(page);
    await accessible(page, `${view}, wide and light`);
  }
  quiet();
  await server.end();
  await page.getByText('The program does not answer').first().waitFor();
  server.remove();
});

test('questions under a policy: rights, answers, refusals, the account', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  await page.getByRole('button', { name: 'Begin with the demo' }).click();
  await page.getByLabel('Role of zip').waitFor();
  await go(page, 'policy');
  await page.getByRole('heading', { name: 'There is no policy yet' }).waitFor();
  await accessible(page, 'policy, none');
  writeFileSync(join(server.project, 'policy.toml'), policy.replace('"rows"', '"rows"\nnonsense = 1'));
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByText('policy.toml has to be mended').first().waitFor();
  writeFileSync(join(server.project, 'policy.toml'), policy);
  await page.getByRole('button', { name: 'Look again' }).click();
  const rights = page.getByTestId('rights');
  await rights.getByRole('row', { name: /^sex no yes yes count ε ≤ 0.5/ }).waitFor();
  await rights.getByRole('row', { name: /^age no no no .*none, so denied/ }).waitFor();
  assert.ok(!existsSync(join(server.project, 'state')), 'looking keeps nothing');

  const statement = page.getByLabel('The question, in SQL');
  const asked = 'SELECT sex, count(*) FROM patients GROUP BY sex';
  await statement.fill(asked);
  await page.getByRole('button', { name: 'What would become of it' }).click();
  await page.getByText('It would cost ε = 0.5').waitFor();
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByTestId('answer').waitFor();
  const shown = await page.getByTestId('answer').locator('tbody tr').allInnerTexts();
  // The command line has the same answer, and pays nothing for it.
  const told = JSON.parse(execFileSync(program, ['ask', join(server.project, 'policy.toml'), asked, '--as', 'research', '--purpose', 'statistics', '--json'], { encoding: 'utf8' }));
  assert.deepEqual(shown.map((row) => row.split('\t')), told.rows.map((row) => row.map(String)));
  assert.equal(told.annotation.cached, true);
  await page.getByTestId('ledger').locator('tbody tr').first().waitFor();
  assert.equal(await page.getByTestId('ledger').locator('tbody tr').count(), 1);
  await accessible(page, 'policy, answered');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByTestId('cached').waitFor();
  assert.equal(await page.getByTestId('ledger').locator('tbody tr').count(), 1, 'the same question costs once');

  await statement.fill('SELECT age, count(*) FROM patients GROUP BY age');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('Refused').first().waitFor();
  assert.equal(await page.getByTestId('answer').count(), 0);
  await accessible(page, 'policy, refused');
  await page.reload();
  await page.getByTestId('rights').waitFor();
  assert.match(await statement.inputValue(), /GROUP BY age/, 'what was typed survives a reload');

  await page.locator('main select').nth(0).selectOption('board');
  await page.locator('main select').nth(1).selectOption('audit');
  await statement.fill(asked);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByText('exact; held against').first().waitFor();
  await page.getByText('exact answers that later ones are held against: 1').first().waitFor();
  await narrow(page, 'policy');
  quiet();
  await server.end();
  server.remove();
});

test('a joint run: terms, parties, answers, who learns what, and the commands', async () => {
  const server = await start(folder());
  const { page, quiet } = await visit(server);
  const at = (name) => join(server.project, name);
  const party = (...args) => execFileSync(program, ['party', ...args], { cwd: server.project, stdio: 'pipe' });
  await page.getByRole('button', { name: 'Begin with the demo' }).click();
  await page.getByLabel('Role of zip').waitFor();
  await go(page, 'joint');
  await page.getByRole('heading', { name: 'There is no joint run in this folder' }).waitFor();
  await accessible(page, 'joint, none');
  party('invite', 'paravent.toml', '--run', 'registry 2026', '--protocol', 'b', '--party', 'clinic-a', '--party', 'clinic-b', '--helper', 'trustee', '--me', 'clinic-a', '--bundle', 'invitation.toml');
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByRole('heading', { name: 'registry 2026' }).waitFor();
  assert.equal(await page.getByTestId('parties').locator('tbody tr', { hasText: 'invited' }).count(), 3);
  for (const name of ['clinic-a', 'clinic-b', 'trustee']) await page.getByTestId('learned').getByRole('row', { name: new RegExp(`^${name}`) }).waitFor();
  await accessible(page, 'joint, invited');

  // Every command is taken from the page, and does what it says.
  async function follow(name, step) {
    await page.getByLabel('This party is').selectOption(name);
    await page.getByTestId('parties').locator('tr.chosen', { hasText: name }).waitFor();
    const line = page.getByTestId(`step-${step}`);
    await line.waitFor();
    const words = (await line.textContent()).replace('HOST:PORT', `${name}.example:7001`).split(' ');
    assert.equal(words.shift(), 'paravent');
    execFileSync(program, words, { cwd: server.project, stdio: 'pipe' });
    await page.getByRole('button', { name: 'Look again' }).click();
    await line.waitFor({ state: 'detached' });
  }
  for (const name of ['clinic-a', 'clinic-b', 'trustee']) {
    await follow(name, 'keygen');
    await follow(name, 'join');
  }
  assert.equal(await page.getByText('not put together yet').count(), 3);
  const before = await page.getByTestId('digest').textContent();
  await follow('clinic-a', 'merge');
  assert.equal(await page.getByTestId('parties').locator('tbody tr', { hasText: 'joined' }).count(), 3);
  assert.notEqual(await page.getByTestId('digest').textContent(), before);
  await follow('clinic-b', 'approve');
  await page.getByTestId('parties').getByRole('row', { name: /clinic-b .*approved/ }).waitFor();
  const preview = (await page.getByTestId('step-preview').textContent()).split(' ').slice(1);
  assert.match(execFileSync(program, preview, { cwd: server.project, encoding: 'utf8' }), new RegExp(await page.getByTestId('digest').textContent()));
  await accessible(page, 'joint, approved');
  await narrow(page, 'joint, approved');
  await page.reload();
  await page.getByTestId('step-run').waitFor();
  assert.equal(await page.getByLabel('This party is').inputValue(), 'clinic-b', 'which party this is survives a reload');
  writeFileSync(at('federation.toml'), readFileSync(at('federation.toml'), 'utf8').replace('run = ', 'run = 1 # '));
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByText('federation.toml has to be mended').first().waitFor();
  quiet();
  await server.end();
  server.remove();
});

function answer(server, headers, { path = '/api/v1/session', method = 'GET', body } = {}) {
  const { port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (got) => { got.resume(); resolve(got.statusCode); });
    sent.on('error', reject);
    // The server decides by the headers, before the body is sent.
    if (body) { sent.flushHeaders(); sent.on('continue', () => sent.end(body)); } else sent.end();
  });
}

test('a foreign host, a missing token and a large body are refused', async () => {
  const server = await start(folder());
  const Authorization = `Bearer ${server.token}`;
  assert.equal(await answer(server, { Authorization }), 200);
  assert.equal(await answer(server, { Authorization, Host: 'rebound.example' }), 403);
  assert.equal(await answer(server, {}), 401);
  assert.equal(await answer(server, { Authorization: `Bearer ${'0'.repeat(64)}` }), 401);
  const body = JSON.stringify({ text: 'x'.repeat(1 << 20), digest: null });
  assert.equal(await answer(server, { Authorization, 'Content-Type': 'application/json', 'Content-Length': body.length, Expect: '100-continue' }, { path: '/api/v1/job', method: 'PUT', body }), 413);
  // Without the token the page says what to do, and shows nothing.
  const { context } = await visit(server);
  const other = await context.newPage();
  await other.goto(`${server.origin}/`);
  await other.getByText('without its key').first().waitFor();
  await server.end();
  server.remove();
});

/** A job with 32,768 transformations, all of which are looked at in the background: much longer than it takes to press a button. */
function manyTransformations() {
  const redacted = ['marital-status', 'education', 'native-country', 'occupation', 'workclass']
    .map((name) => `[[attributes]]\nname = "${name}"\nrole = "quasi-identifier"\nhierarchy = { redact = { from = "right" } }\nmax_level = 7\n`);
  return `version = 1\n[input]\npath = "large.csv"\n${redacted.join('')}[privacy]\nsuppression_limit = 0.05\nmodels = [{ model = "k-anonymity", k = 5 }]\n`;
}

test('a run over a second shows its progress and can be stopped', async () => {
  const project = folder();
  writeFileSync(join(project, 'large.csv'), adultLike(120_000));
  writeFileSync(join(project, 'paravent.toml'), manyTransformations());
  const server = await start(project);
  const { page, quiet } = await visit(server);
  // What is stopped is the picture of all transformations, never the search before it. A machine that is done with it in a moment has nothing left to stop.
  const stopped = page.evaluate(() => new Promise((resolve) => {
    const timer = setInterval(() => {
      const stop = document.querySelector('.progress .one[data-kind="explore"] button');
      const seen = document.querySelector('[data-testid="looked-at"]')?.textContent.match(/[\d,]+/g) ?? [];
      if (!stop && !(seen.length > 1 && seen[0] === seen[1])) return;
      clearInterval(timer);
      stop?.click();
      resolve();
    }, 2);
  }));
  await go(page, 'solutions');
  await page.getByRole('heading', { name: 'The best transformation' }).waitFor({ timeout: 300_000 });
  await stopped;
  await settled(page);
  const [, all] = (await page.getByTestId('looked-at').textContent()).match(/[\d,]+/g).map((one) => Number(one.replaceAll(',', '')));
  assert.equal(all, 32_768);
  // A table on its way can be stopped, too: here it never arrives.
  await go(page, 'start');
  await page.route('**/api/v1/data', () => {});
  await page.locator('#table').setInputFiles({ name: 'slow.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
  await page.locator('.progress .one', { hasText: 'Taking the table in' }).getByRole('button', { name: 'Stop' }).click();
  await settled(page);
  await page.getByText('large.csv').first().waitFor();
  quiet();
  await server.end();
  server.remove();
});
