import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { findProgram } from '../../e2e/support/find-program.ts';
import { freePort } from '../../e2e/support/free-port.ts';
import { untilReady } from './until-ready.ts';

export interface TestRedis {
  /** The same after every start. */
  readonly url: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

const password = 'planted-bus-secret';

/** Tests that need a Redis server; counted as skipped on a machine without one. */
export function withRedis(body: (startRedis: () => Promise<TestRedis>) => void): void {
  const program = findProgram('redis-server', 'valkey-server');
  describe.skipIf(program === undefined)('redis', () => body(() => startRedis(program ?? '')));
}

/** Starts a throw-away server with a password. It ends with `stop()`, and also when this process dies. */
async function startRedis(program: string): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  // The shell ends the server when its own input closes, which the kernel does even after kill -9.
  const script = '"$0" "$@" & server=$!; cat > /dev/null; kill -KILL $server; wait $server 2> /dev/null';
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', directory];
  const kill = async () => {
    if (child === undefined) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.stdin?.end();
    await ended;
    child = undefined;
  };
  const start = async () => {
    child = spawn('/bin/sh', ['-c', script, program, ...settings, '--requirepass', password], {
      cwd: directory,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await untilReady('Redis', child, child.stdout, 'Ready to accept connections');
  };
  await start();
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    kill,
    start,
    async stop() {
      await kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
