// The whole path - connect, ask, admitted, acknowledged, the oldest superseded - as a rate, of
// `admission serve` and of a plain Node server in turn, on the same machine in the same run; and
// what it took of the processor, for the rate may be this client's. Usage: node rate.mjs PROGRAM.
// Nothing is asserted about speed, only that every listen was acknowledged.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Server } from './server.mjs';

const IS_FULL = process.env.ADMISSION_FULL === '1';
const N = IS_FULL ? 20000 : 2000;
const ROUNDS = IS_FULL ? 3 : 1;
const AT_ONCE = 8;

const body = JSON.stringify({ jsonrpc: '2.0', id: 'listen:0', method: 'subscriptions/listen',
  params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {} }, notifications: { resourcesListChanged: true } } });
const request = 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n'
  + 'Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n'
  + `Mcp-Method: subscriptions/listen\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

// One listen, until its acknowledgement has come; it then stays until it is superseded.
function listen(port) {
  return new Promise((resolve, reject) => {
    const begun = process.hrtime.bigint();
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    let said = '';
    socket.on('data', (data) => {
      said += data;
      if (said.includes('subscriptions/acknowledged')) {
        resolve(Number(process.hrtime.bigint() - begun) / 1e6);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed before it was acknowledged')));
  });
}

// Of the process and its threads, in us; a tick is a hundredth of a second.
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 1e4;
}

async function measure(port, pid) {
  const times = [];
  let left = N;
  const before = processorTime(pid);
  const begun = process.hrtime.bigint();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      times.push(await listen(port));
    }
  }));
  const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.floor(times.length * part)].toFixed(2);
  const took = Math.round((processorTime(pid) - before) / N);
  return `${Math.round(N / seconds)} listens/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${took} us of CPU each`;
}

const portOf = (url) => Number(/:(\d+)/.exec(url.replace('http://', ''))[1]);

async function startPlain() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('plain.mjs', import.meta.url))],
    { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  return { child, port: portOf(/http:\S+/.exec(String(line))[0]) };
}

const server = await Server.start(process.argv[2], []);
const plain = await startPlain();
for (let round = 1; round <= ROUNDS; round++) {
  console.log(`admission serve: ${await measure(portOf(server.url), server.child.pid)}`);
  console.log(`plain Node:      ${await measure(plain.port, plain.child.pid)}`);
}
plain.child.kill();
await server.stop();
process.exit(0);
