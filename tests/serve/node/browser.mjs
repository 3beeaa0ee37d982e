// Debian's Chromium, without a network of its own.
import { chromium } from 'playwright-core';

export const CHROMIUM = '/usr/bin/chromium';

export function launch() {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

export const stateIs = (page, number, state) => page.waitForFunction(
  ([n, wanted]) => document.querySelector(`#streams li[data-n="${n}"]`)?.dataset.state === wanted,
  [number, state]);

export const statesOf = (page) => page.$$eval('#streams li',
  (items) => items.map((item) => item.dataset.state));

export async function logIn(page, url, principal) {
  await page.goto(url);
  await page.waitForSelector('#principal option', { state: 'attached' });
  await page.selectOption('#principal', principal);
  await page.click('#login button[type=submit]');
  await page.waitForSelector('#open:enabled');
}

export async function openStreams(page, n) {
  const first = await page.$$eval('#streams li', (items) => items.length) + 1;
  for (let i = first; i < first + n; i++) {
    await page.click('#open');
    await stateIs(page, i, 'live');
  }
}
