// The page in Chromium: six clicks, two tabs, a reload, no storm of reconnects (R11, R13, R25).
// Usage: node page.mjs PROGRAM
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { Server, until } from './server.mjs';
import { CHROMIUM, launch, logIn, openStreams, stateIs, statesOf } from './browser.mjs';

if (!existsSync(CHROMIUM)) {
  console.log(`skipped: ${CHROMIUM} is not there`);
  process.exit(77);
}

const [program] = process.argv.slice(2);
const SETTLED_MS = process.env.ADMISSION_FULL === '1' ? 20000 : 8000; // a browser retries after 3 s

const token = { alice: 'demo-alice', bob: 'demo-bob' };
const liveOf = async (server, who) => (await server.stats(token[who])).live[who];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A page, and whatever it complains about; what it asks of other servers is such a complaint.
async function open(browser, server) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.wrong = [];
  page.on('pageerror', (error) => page.wrong.push(String(error)));
  page.on('console', (line) => {
    if (line.type() === 'error' && !/status of (401|404)/.test(line.text())) {
      page.wrong.push(line.text());
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) {
      page.wrong.push(request.url());
    }
  });
  return page;
}

const checks = {
  async 'six clicks: log in, four streams, a change - the first stream makes room'(page, server) {
    await logIn(page, server.url, 'alice');
    await openStreams(page, 4);
    await stateIs(page, 1, 'superseded');
    await page.click('#publish');
    await page.waitForFunction(() => [...document.querySelectorAll('#streams li[data-state=live] .heard')]
      .every((heard) => heard.textContent.includes('changes: change 1 by alice')));
    assert.deepEqual(await statesOf(page), ['superseded', 'live', 'live', 'live']);
    await page.waitForFunction(() => document.getElementById('live').textContent === '3');
    assert.equal(await page.getAttribute('#meter', 'aria-valuenow'), '3');
  },

  async 'closing one frees its place for another, and nobody is superseded'(page, server) {
    await page.click('#streams li[data-n="2"] button');
    await until(async () => (await liveOf(server, 'alice')).length === 2);
    await openStreams(page, 1);
    assert.deepEqual(await statesOf(page), ['superseded', 'closed', 'live', 'live', 'live']);
  },

  async 'two tabs share the cap: the oldest is in the other one'(page, server) {
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.waitForSelector('#open:enabled');
    await openStreams(other, 1);
    await stateIs(page, 3, 'superseded');
    await other.close();
    await until(async () => (await liveOf(server, 'alice')).length === 2);
  },

  async 'nothing of another principal is shown'(page, server) {
    const context = await page.context().browser().newContext();
    const bobs = await context.newPage();
    await logIn(bobs, server.url, 'bob');
    await openStreams(bobs, 1);
    assert.equal((await liveOf(server, 'bob')).length, 1);
    assert.equal((await liveOf(server, 'alice')).length, 2);
    assert.equal(await page.textContent('#live'), '2');
    await context.close();
    await until(async () => (await liveOf(server, 'bob')).length === 0);
  },

  async 'a reload leaves no stream behind'(page, server) {
    await page.reload();
    await page.waitForSelector('#open:enabled');
    await until(async () => (await liveOf(server, 'alice')).length === 0);
  },

  async 'four tabs at cap three, each with an EventSource that comes back: no storm'(page, server) {
    const tabs = [];
    const before = await server.stats(token.alice);
    for (let i = 0; i < 4; i++) {
      const tab = await page.context().newPage();
      await tab.goto(server.url + '/healthz');
      tabs.push(tab);
      await tab.evaluate(() => new Promise((resolve) => {
        const source = new EventSource('/listen');
        source.addEventListener('admitted', resolve, { once: true });
      }));
    }
    await pause(SETTLED_MS);
    const after = await server.stats(token.alice);
    assert.equal(after.admitted - before.admitted, 4);
    assert.equal(after.superseded - before.superseded, 1);
    await Promise.all(tabs.map((tab) => tab.close()));
  },

  async 'the keyboard alone does it all'(page, server) {
    await page.focus('#open');
    await page.keyboard.press('Enter');
    await stateIs(page, 1, 'live');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Close ref/);
    await page.keyboard.press('Enter');
    await stateIs(page, 1, 'closed');
    await until(async () => (await liveOf(server, 'alice')).length === 0);
  },

  async 'every control has a name'(page) {
    const nameless = await page.$$eval('button, select, input, [role=meter], [role=log], [role=img]',
      (controls) => controls.filter((one) => !(one.textContent.trim() || one.labels?.length
        || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby'))).map((one) => one.outerHTML));
    assert.deepEqual(nameless, []);
  },

  async 'a server that ends tells every stream'(page, server) {
    await openStreams(page, 2);
    assert.equal(await server.stop(), 0);
    await stateIs(page, 2, 'shutdown');
    await stateIs(page, 3, 'shutdown');
  },
};

const server = await Server.start(program, ['--demo']);
const browser = await launch();
const page = await open(browser, server);
for (const [name, check] of Object.entries(checks)) {
  await check(page, server);
  console.log(`ok - ${name}`);
}
assert.deepEqual(page.wrong.filter((line) => !/ERR_CONNECTION_REFUSED/.test(line)), []);
await browser.close();
