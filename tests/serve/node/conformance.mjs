// The official conformance scenarios that a server of streams can pass (R1, R3, R5).
// Usage: node conformance.mjs PROGRAM
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Server } from './server.mjs';

// The scenarios, and how many checks each has at least: one that checks less has changed.
const SCENARIOS = {
  'server-stateless': 29,
  'http-header-validation': 14,
  'dns-rebinding-protection': 2,
  'caching': 8,
  'tools-list': 4,
  'resources-list': 2,
  'prompts-list': 2,
  'sep-2164-resource-not-found': 4,
  'server-sse-multiple-streams': 1,
};

const here = fileURLToPath(new URL('.', import.meta.url));
const suite = here + 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
if (!existsSync(suite) || Number(process.versions.node.split('.')[0]) < 22) {
  console.log('skipped: the conformance package or Node 22 is not there');
  process.exit(77);
}

// What a scenario says, for at most a minute.
function run(scenario, url) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [suite, 'server', '--url', url + '/mcp', '--scenario',
      scenario, '--spec-version', '2026-07-28'], { timeout: 60000, cwd: process.cwd() });
    let said = '';
    child.stdout.on('data', (data) => { said += data; });
    child.stderr.on('data', (data) => { said += data; });
    child.on('close', (status) => resolve({ status, said }));
  });
}

const [program] = process.argv.slice(2);
const server = await Server.start(program,
  ['--anonymous', 'conformance', '--max-listens', '8', '--conformance']);
await fetch(server.url + '/publish?topic=clock', { method: 'POST', body: 'noon' });
let failed = 0;
for (const [scenario, least] of Object.entries(SCENARIOS)) {
  const { status, said } = await run(scenario, server.url);
  const [line, passed, all] = /Passed: (\d+)\/(\d+).*/.exec(said) ?? ['no result', 0, -1];
  const isGood = status === 0 && passed === all && Number(passed) >= least;
  console.log(`${isGood ? 'ok' : 'not ok'} - ${scenario}: ${line}`);
  if (!isGood) {
    failed++;
    console.log(said.split('\n').slice(-30).join('\n'));
  }
}
if (await server.stop() !== 0) {
  failed++;
}
process.exitCode = failed > 0 ? 1 : 0;
