import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Started {
  readonly url: string;
  /** From the command to the line that says where it listens. */
  readonly tookMs: number;
  /** Of it, until the dependencies were there: downloading and unpacking. */
  readonly installMs: number;
  /** SIGTERM to the whole group, and waits until npm is gone. */
  stop(): Promise<void>;
}

/** `npm start` in a folder, on a free port; throws with its output when it does not come up. */
export async function npmStart(folder: string, env: Record<string, string> = {}): Promise<Started> {
  const startedMs = performance.now();
  const server = spawn('npm', ['start'], {
    cwd: folder,
    env: {
      ...process.env,
      ...{ PORT: '0', HOST: '127.0.0.1', ALLOW_PRIVATE_UPSTREAMS: '127.0.0.0/8', DRAIN_SECONDS: '1' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let installMs = 0;
  const port = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (installMs === 0 && output.includes('Building the server')) installMs = performance.now() - startedMs;
      const ready = /ready: http:\/\/localhost:(\d+)/.exec(output)?.[1];
      if (ready !== undefined) resolve(ready);
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    tookMs: performance.now() - startedMs,
    installMs,
    async stop() {
      if (server.pid === undefined || server.exitCode !== null) return;
      const exited = once(server, 'exit');
      process.kill(-server.pid, 'SIGTERM');
      await exited;
    },
  };
}
