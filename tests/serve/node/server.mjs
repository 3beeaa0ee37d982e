// A server for a test, with tokens for alice and bob.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Server {
  static async start(program, args) {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), 'admission-'));
    const tokens = join(server.folder, 'tokens');
    writeFileSync(tokens, 'alice-token alice\nbob-token bob\n', { mode: 0o600 });
    const who = args.includes('--demo') ? [] : ['--tokens', tokens];
    server.child = spawn(program, ['serve', '--port', '0', ...who, ...args],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    server.exit = new Promise((resolve) => server.child.once('exit', resolve));
    process.once('exit', () => server.child.kill('SIGKILL'));
    server.url = await new Promise((resolve, reject) => {
      server.child.stdout.once('data', (data) => resolve(/http:\S+/.exec(String(data))[0]));
      server.exit.then(() => reject(new Error('the server did not begin')));
    });
    return server;
  }

  async stats(token) {
    const answer = await fetch(this.url + '/stats',
      { headers: { authorization: `Bearer ${token}` } });
    return answer.json();
  }

  // Ends it as an operator would; returns what it exited with.
  async stop() {
    this.child.kill('SIGTERM');
    const status = await this.exit;
    rmSync(this.folder, { recursive: true, force: true });
    return status;
  }
}

// Waits until `holds` does; the end of patience is an error.
export async function until(holds, patienceMs = 15000) {
  const end = Date.now() + patienceMs;
  while (!await holds()) {
    if (Date.now() > end) {
      throw new Error(`never came true: ${holds}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
