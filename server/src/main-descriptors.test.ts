import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const advice = 'raise the limit (ulimit -n, LimitNOFILE of systemd) or lower MAX_STREAMS';

/** What a server says until it is ready, where a process may have 1,024 descriptors open. */
async function greetingOf(env: Record<string, string>): Promise<string> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-descriptors-'));
  const main = path.join(import.meta.dirname, 'main.ts');
  const child = spawn('sh', ['-c', 'ulimit -n 1024 && exec "$0" "$1"', process.execPath, main], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir, DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(dataDir, { recursive: true });
  });
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (said.includes('is ready')) return said;
  }
  throw new Error(`not ready: ${said}`);
}

test.runIf(process.platform === 'linux')(
  'a server that may not open enough for its streams says what to do, another does not',
  async () => {
    const poor = await greetingOf({ MAX_STREAMS: '1000' });
    expect(poor).toContain('1024 < 2 × MAX_STREAMS (1000) + 256');
    expect(poor).toContain(advice);
    expect(await greetingOf({ MAX_STREAMS: '384' })).not.toContain(advice);
  },
);
