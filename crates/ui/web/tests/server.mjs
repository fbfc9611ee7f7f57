// A real `paravent ui` in a folder of its own, and a browser that talks to it alone.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const program = process.env.PARAVENT;
if (!program) throw new Error('PARAVENT must name the program');

export function folder() {
  return mkdtempSync(join(tmpdir(), 'paravent-page-'));
}

const running = new Set();

/** Starts the program; `end` stops it as Ctrl-C does. */
export async function start(project, ...args) {
  const child = spawn(program, ['ui', '--no-open', '--project', project, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  running.add(child);
  let heard = '';
  const page = await new Promise((resolve, reject) => {
    child.stderr.on('data', (bytes) => {
      heard += bytes;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#t=[0-9a-f]{64}/.exec(heard);
      if (found) resolve(found[0]);
    });
    child.on('exit', () => reject(new Error(`the program ended: ${heard}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return {
    page, project, pid: child.pid, origin: new URL(page).origin, token: page.split('#t=')[1],
    async end() {
      child.kill('SIGINT');
      return ended;
    },
    remove: () => rmSync(project, { recursive: true, force: true }),
  };
}

let browser;
export async function open() {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
  return browser;
}
/** Ends the browser, and what a test that failed has left running. */
export async function close() {
  for (const child of running) child.kill('SIGINT');
  await browser?.close();
  browser = undefined;
}

/** A page that fails the test when it asks anybody else for something, breaks its policy, or complains. */
export async function visit(server, options = {}) {
  const context = await (await open()).newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const complaints = [];
  await context.route('**', (route) => {
    const address = route.request().url();
    if (address.startsWith(`${server.origin}/`)) return route.continue();
    complaints.push(`asked for ${new URL(address).origin}`);
    return route.abort();
  });
  await context.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on('console', (message) => {
    // A refusal of the server that the page shows to the user is no complaint.
    if (message.type() === 'error' && !/status of (4\d\d|50\d)/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(server.page);
  await page.locator('nav').waitFor();
  return { page, context, quiet: () => assert.deepEqual(complaints, []) };
}

export async function go(page, view) {
  await page.locator(`nav [data-view="${view}"]`).click();
  await page.locator(`nav [data-view="${view}"][aria-current="page"]`).waitFor();
}

/** Nothing goes on any more. */
export async function settled(page) {
  await page.waitForFunction(() => !document.querySelector('.progress.shown'), undefined, { timeout: 180_000 });
}
