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
const textOf = (page, id) => page.textContent('#' + id);
const textBecomes = (page, id, text) => page.waitForFunction(
  ([where, wanted]) => document.getElementById(where).textContent === wanted, [id, text]);
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

  async 'the list shows the order of each, and how its EventSource is'(page) {
    const shown = await page.$$eval('#streams li', (items) => items.map(({ dataset, textContent }) => (
      { order: dataset.order, es: dataset.es, isSaid: textContent.includes(`number ${Number(dataset.order) + 1}`) })));
    assert.deepEqual(shown, [0, 1, 2, 3].map((order) => (
      { order: String(order), es: order === 0 ? '2' : '1', isSaid: true })));
  },

  async 'what counts for all principals says so'(page) {
    await page.waitForFunction(() => /admitted and \d+ superseded, of all principals; now 3 of 3 live, yours/
      .test(document.getElementById('plot').getAttribute('aria-label')));
    for (const kind of ['admitted', 'superseded']) {
      assert.match(await page.textContent(`.legend .is-${kind}`), /of all principals/);
    }
  },

  async 'who one is, is not said again and again'(page) {
    const changes = await page.evaluate(() => new Promise((resolve) => {
      let n = 0;
      const observer = new MutationObserver((records) => { n += records.length; });
      observer.observe(document.getElementById('whoami'), { childList: true, characterData: true, subtree: true });
      setTimeout(() => resolve(n), 2500);
    }));
    assert.equal(changes, 0);
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
    await page.bringToFront(); // one that is hidden asks less often than once a second
    await until(async () => await page.textContent('#live') === '2');
    await context.close();
    await until(async () => (await liveOf(server, 'bob')).length === 0);
  },

  async 'a reload leaves no stream behind'(page, server) {
    await page.reload();
    await page.waitForSelector('#open:enabled');
    await until(async () => (await liveOf(server, 'alice')).length === 0);
  },

  async 'somebody else sees nothing of who was there before'(page, server) {
    await openStreams(page, 1);
    assert.match(await textOf(page, 'curl'), /demo-alice/);
    await page.selectOption('#principal', 'bob');
    await page.click('#login button[type=submit]');
    await textBecomes(page, 'whoami', 'You are bob.');
    await textBecomes(page, 'live', '0');
    assert.deepEqual(await statesOf(page), []);
    assert.match(await textOf(page, 'log'), /^[\d:]+logged in as bob$/);
    assert.match(await textOf(page, 'curl'), /demo-bob/);
    await until(async () => (await liveOf(server, 'alice')).length === 0);
    await openStreams(page, 1);
    await page.click('#logout');
    await textBecomes(page, 'whoami', 'Not logged in.');
    assert.deepEqual(await statesOf(page), []);
    assert.match(await textOf(page, 'log'), /^[\d:]+logged out$/);
    for (const id of ['live', 'max', 'admitted', 'superseded', 'left']) {
      assert.equal(await textOf(page, id), '–');
    }
    assert.equal(await page.$$eval('#plot *', (nodes) => nodes.length), 0);
    assert.match(await textOf(page, 'curl'), /Bearer TOKEN'/);
    await until(async () => (await liveOf(server, 'bob')).length === 0);
    await pause(1500);
    assert.equal(await textOf(page, 'whoami'), 'Not logged in.');
    await logIn(page, server.url, 'alice');
  },

  async 'a login in another tab is one in this as well'(page, server) {
    await openStreams(page, 1);
    const other = await page.context().newPage();
    await logIn(other, server.url, 'bob');
    await textBecomes(page, 'whoami', 'You are bob.');
    assert.deepEqual(await statesOf(page), []);
    await until(async () => (await liveOf(server, 'alice')).length === 0);
    await other.click('#logout');
    await textBecomes(page, 'whoami', 'Not logged in.');
    await other.close();
    await logIn(page, server.url, 'alice');
  },

  async 'a token that is not known is said so until another is tried'(page) {
    const server = await Server.start(program, []);
    const own = await open(page.context().browser(), server);
    await own.goto(server.url);
    await own.fill('#token', 'nonsense');
    await own.click('#login button[type=submit]');
    await textBecomes(own, 'wrong', 'That token is not known.');
    await pause(1500);
    assert.equal(await textOf(own, 'wrong'), 'That token is not known.');
    assert.equal(await textOf(own, 'whoami'), 'Not logged in.');
    await own.fill('#token', 'alice-token');
    await own.click('#login button[type=submit]');
    await textBecomes(own, 'whoami', 'You are alice.');
    assert.equal(await textOf(own, 'wrong'), '');
    assert.doesNotMatch(await textOf(own, 'curl'), /alice-token/);
    await server.stop();
    await own.fill('#token', 'alice-token');
    await own.click('#login button[type=submit]');
    await textBecomes(own, 'wrong', 'The server does not answer.');
    await own.context().close();
  },

  // A browser has six connections to a server: a seventh stream would wait, and with it everything
  // else that a page asks. So a page opens five.
  async 'a browser begins six streams, and the page no more than leave it a connection'(page) {
    const server = await Server.start(program, ['--demo', '--max-listens', '9']);
    const own = await open(page.context().browser(), server);
    await logIn(own, server.url, 'bob');
    await openStreams(own, 5);
    await own.waitForSelector('#open:disabled');
    assert.match(await own.getAttribute('#open', 'title'), /six connections/);
    assert.deepEqual(await own.$$eval('#streams li', (items) => items.map((item) => item.dataset.es)),
      Array(5).fill('1'));
    await own.click('#publish');
    await own.waitForFunction(() => [...document.querySelectorAll('#streams li .heard')]
      .every((heard) => heard.textContent.includes('changes: change 1 by bob')));
    await textBecomes(own, 'live', '5');
    await own.goto(server.url + '/healthz');
    await until(async () => (await liveOf(server, 'bob')).length === 0);
    await own.evaluate(() => {
      window.sources = Array.from({ length: 7 }, () => new EventSource('/listen'));
    });
    const begun = () => own.evaluate(() => window.sources.map((source) => source.readyState));
    await until(async () => (await begun()).filter((state) => state === 1).length === 6);
    assert.equal((await liveOf(server, 'bob')).length, 6);
    const hangs = await own.evaluate(() => fetch('/stats', { signal: AbortSignal.timeout(500) })
      .then(() => false, () => true));
    assert.ok(hangs, 'a seventh request was answered: the page could open more');
    await own.evaluate(() => window.sources.find((source) => source.readyState === 1).close());
    await until(async () => (await begun()).filter((state) => state === 1).length === 6);
    assert.deepEqual((await begun()).sort(), [1, 1, 1, 1, 1, 1, 2]);
    await own.context().close();
    assert.equal(await server.stop(), 0);
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

  async 'a server that does not answer is said so, with no figures of before'(page) {
    await textBecomes(page, 'silence', 'No answer from the server.');
    for (const id of ['live', 'max', 'admitted', 'superseded', 'left']) {
      assert.equal(await textOf(page, id), '–');
    }
    assert.equal(await page.getAttribute('#meter', 'aria-valuetext'), 'no answer');
    assert.equal(await page.$$eval('#slots .full', (slots) => slots.length), 0);
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
