// The official MCP client against a server of the test's own (R25): what an application sees.
// Usage: node official.mjs PROGRAM. Twenty rounds with ADMISSION_FULL=1, else one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server, until } from './server.mjs';

const [program] = process.argv.slice(2);
const rounds = process.env.ADMISSION_FULL === '1' ? 20 : 1;
const LISTS = { resourcesListChanged: true };

async function connect(server, token) {
  const client = new Client({ name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  client.errors = [];
  client.onerror = (error) => client.errors.push(error);
  client.updates = [];
  client.setNotificationHandler('notifications/resources/updated',
    (notification) => client.updates.push(notification.params.uri));
  client.lists = 0;
  client.setNotificationHandler('notifications/resources/list_changed', () => client.lists++);
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url + '/mcp'),
    { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  return client;
}

// A subscription and how it ended, once it has.
async function listen(client, filter) {
  const subscription = await client.listen(filter);
  subscription.end = undefined;
  subscription.closed.then((end) => { subscription.end = end; });
  return subscription;
}

const say = (client, topic, body) =>
  client.callTool({ name: 'publish', arguments: { topic, body } });

const checks = {
  async 'discovers, lists and calls'(server) {
    const client = await connect(server, 'alice-token');
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['publish']);
    const said = await say(client, 'greeting', 'hello');
    assert.ok(!said.isError);
    const { resources } = await client.listResources();
    assert.ok(resources.some((resource) => resource.uri === 'topic:greeting'));
    const { contents } = await client.readResource({ uri: 'topic:greeting' });
    assert.equal(contents[0].text, 'hello');
    await assert.rejects(client.readResource({ uri: 'topic:nothing' }), { code: -32602 });
    await client.close();
  },

  async 'six listens at cap three: the three oldest end gracefully, in order'(server) {
    const client = await connect(server, 'alice-token');
    const open = [];
    for (let i = 0; i < 6; i++) {
      open.push(await listen(client, LISTS));
      await until(() => open.filter((one) => one.end === 'graceful').length === Math.max(0, i - 2));
      open.slice(0, Math.max(0, i - 2)).forEach((one) => assert.equal(one.end, 'graceful'));
    }
    assert.deepEqual(open.map((one) => one.end),
      ['graceful', 'graceful', 'graceful', undefined, undefined, undefined]);
    assert.deepEqual(client.errors, []);
    await client.close();
    await until(async () => (await server.stats('alice-token')).live.alice.length === 0);
  },

  async 'the cap is of the principal: other clients of it count, other principals do not'(server) {
    const [a, b, bob] = [await connect(server, 'alice-token'), await connect(server, 'alice-token'),
      await connect(server, 'bob-token')];
    const first = await listen(a, LISTS);
    const others = await listen(bob, LISTS);
    for (let i = 0; i < 3; i++) {
      await listen(b, LISTS);
    }
    await until(() => first.end !== undefined);
    assert.equal(first.end, 'graceful');
    assert.equal(others.end, undefined);
    await Promise.all([a, b, bob].map((client) => client.close()));
  },

  async 'hears of the topics it asked for, and of no others'(server) {
    const client = await connect(server, 'alice-token');
    await listen(client, { resourceSubscriptions: ['topic:a', 'topic:b%20c'] });
    await say(client, 'other', '1');
    await say(client, 'a', '2');
    await say(client, 'b c', '3');
    await until(() => client.updates.length >= 2);
    assert.deepEqual(client.updates, ['topic:a', 'topic:b%20c']);
    assert.equal(client.lists, 0);
    await client.close();
  },

  async 'closing one of two clients ends its stream, not the other of the same id'(server) {
    const [a, b] = [await connect(server, 'alice-token'), await connect(server, 'alice-token')];
    const first = await listen(a, { resourceSubscriptions: ['topic:x'] });
    const second = await listen(b, { resourceSubscriptions: ['topic:x'] });
    await first.close();
    await until(async () => (await server.stats('alice-token')).live.alice.length === 1);
    await say(b, 'x', '1');
    await until(() => b.updates.length === 1);
    assert.equal(second.end, undefined);
    assert.deepEqual(a.updates, []);
    await Promise.all([a.close(), b.close()]);
  },

  async 'a listen for nothing ends gracefully and admits nobody'(server) {
    const client = await connect(server, 'alice-token');
    const before = (await server.stats('alice-token')).admitted;
    const subscription = await listen(client, { promptsListChanged: true });
    await until(() => subscription.end !== undefined);
    assert.equal(subscription.end, 'graceful');
    assert.equal((await server.stats('alice-token')).admitted, before);
    await client.close();
  },

  async 'an unknown token is refused'(server) {
    await assert.rejects(connect(server, 'nobody'));
  },

  async 'twenty at once: three stay, each was acknowledged'(server) {
    const client = await connect(server, 'alice-token');
    const open = await Promise.all(Array.from({ length: 20 }, () => listen(client, LISTS)));
    await until(() => open.filter((one) => one.end === 'graceful').length === 17);
    assert.equal(open.filter((one) => one.end === undefined).length, 3);
    await client.close();
  },

  // The last one: the server ends.
  async 'a server that ends says so to every subscription'(server) {
    const client = await connect(server, 'alice-token');
    const open = [await listen(client, LISTS), await listen(client, LISTS)];
    await until(async () => (await server.stats('alice-token')).live.alice.length === 2);
    assert.equal(await server.stop(), 0);
    await until(() => open.every((one) => one.end !== undefined));
    assert.deepEqual(open.map((one) => one.end), ['graceful', 'graceful']);
    assert.deepEqual(client.errors, []);
    await client.close();
  },
};

for (let round = 1; round <= rounds; round++) {
  const server = await Server.start(program, ['--keepalive', '200ms']);
  for (const [name, check] of Object.entries(checks)) {
    await check(server);
    console.log(`ok ${round} - ${name}`);
  }
}

// The lines that docs/serve.md shows, against the server that it shows.
const demo = await Server.start(program, ['--demo']);
const child = spawn(process.execPath,
  [fileURLToPath(new URL('listen.mjs', import.meta.url)), demo.url + '/mcp'],
  { stdio: ['ignore', 'pipe', 'inherit'] });
let said = '';
child.stdout.on('data', (data) => { said += data; });
await until(() => /^topic:clock - tick \d+\n/.test(said));
assert.equal(await demo.stop(), 0);
await until(() => said.endsWith('ended: graceful\n'));
console.log('ok - the lines of docs/serve.md');
