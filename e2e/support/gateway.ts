import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startFlags } from '../../server/src/start-flags.ts';
import { asRoot, type Console } from './console-client.ts';
import { newDataDir } from './data-dir.ts';

const mainFile = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));
const startTimeoutMs = 30_000;
export const rootPassword = 'correct-horse-battery';

export interface Gateway {
  readonly url: string;
  readonly process: ChildProcess;
  readonly dataDir: string;
  /** The environment it runs with, to start it again on the same data. */
  readonly env: Record<string, string>;
  /** Everything it wrote, for leak checks and diagnosis. */
  output(): string;
  root(): Promise<Console>;
  /** SIGKILL, and waits until the process is gone. The data stays. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until the process is gone. The data stays. */
  end(): Promise<void>;
  /** SIGTERM and removal of the data. */
  stop(): Promise<void>;
}

/**
 * Starts the real server as a process of its own on a free port; throws with its output when it does not come up. `main`:
 * another version of it, started without flags.
 */
export async function startGateway(env: Record<string, string> = {}, main = mainFile): Promise<Gateway> {
  const dataDir = env.DATA_DIR ?? (await newDataDir(env));
  const full: Record<string, string> = {
    PORT: '0',
    HOST: '127.0.0.1',
    INITIAL_ROOT_PASSWORD: rootPassword,
    ALLOW_PRIVATE_UPSTREAMS: '127.0.0.0/8',
    RATE_LIMIT_FACTOR: '0',
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '1',
    // What is free on the disk of whoever runs this says nothing here.
    DISK_RESERVE_MB: '0',
    DISK_RESERVE_PERCENT: '0',
    ...env,
    DATA_DIR: dataDir,
  };
  const isOurs = main === mainFile;
  const flags = isOurs ? startFlags : [];
  const child = spawn(process.execPath, [...flags, main], {
    env: { ...process.env, ...full },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  // Not its exit: what it said last may be on its way still.
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await closed;
  };
  const port = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the gateway did not start:\n${output}`));
      // Nobody else knows of it.
      child.kill('SIGKILL');
    }, startTimeoutMs);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const ready = /ready: http:\/\/localhost:(\d+)/.exec(output)?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void closed.then((code) => {
      clearTimeout(timer);
      reject(new Error(`the gateway ended with ${code}:\n${output}`));
    });
  }).catch(async (error: unknown) => {
    await end('SIGKILL');
    if (env.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    process: child,
    dataDir,
    env: full,
    output: () => output,
    root: () => asRoot(url, full.INITIAL_ROOT_PASSWORD ?? rootPassword, isOurs),
    kill: () => end('SIGKILL'),
    end: () => end('SIGTERM'),
    async stop() {
      await end('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
