import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../e2e/support/free-port.ts';
import { startFlags } from '../../server/src/start-flags.ts';
import { ensureBuilt } from '../builds.ts';
import { exitCode, runChild, startChild, stopChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

const seedTimeoutMs = 5 * 60_000;
const demoPassword = 'tollgate-demo';

/** `npm start` on a throw-away data folder, filled with sample data, with an upstream of its own that streams. */
export async function run({ root, args }: CommandContext): Promise<number> {
  await ensureBuilt(root);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'tollgate-demo-'));
  try {
    return await runDemo(root, dataDir, args);
  } finally {
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runDemo(root: string, dataDir: string, args: readonly string[]): Promise<number> {
  const upstreamPort = await freePort();
  const env = {
    HOST: '127.0.0.1',
    ...process.env,
    // Its address is told before the server has one.
    PORT: process.env.PORT === '0' ? String(await freePort()) : process.env.PORT,
    DATA_DIR: dataDir,
    DATABASE_URL: undefined,
    REDIS_URL: undefined,
    SECRET_KEY_FILE: undefined,
    SECRET_KEY: randomBytes(32).toString('hex'),
    INITIAL_ROOT_PASSWORD: demoPassword,
    ALLOW_PRIVATE_UPSTREAMS: `127.0.0.1:${upstreamPort}`,
    DEMO_UPSTREAM_URL: `http://127.0.0.1:${upstreamPort}`,
  };
  const upstream = startChild(process.execPath, ['e2e/support/mock-upstream.ts', '--port', String(upstreamPort)], {
    cwd: root,
    quiet: true,
  });
  try {
    // The seed writes the database itself, hence before the server owns it.
    const code = await runChild(process.execPath, ['scripts/demo/main.ts'], { cwd: root, env, timeoutMs: seedTimeoutMs });
    if (code !== 0) throw new Error(`the sample data could not be written (exit code ${code})`);
    console.log(`The mock upstream is ${env.DEMO_UPSTREAM_URL}. All data is deleted at the end.`);
    void exitCode(upstream).then(
      (code) => code !== 0 && console.error(`The mock upstream ended with ${code}; calls fail from now on.`),
    );
    return await runChild(process.execPath, [...startFlags, 'server/dist/main.js', ...args], { cwd: root, env });
  } finally {
    await stopChild(upstream);
  }
}
