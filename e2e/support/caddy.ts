import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { eventually } from './wait.ts';

interface Caddy {
  readonly url: string;
  stop(): Promise<void>;
}

const deployed = fileURLToPath(new URL('../../deploy/caddy/Caddyfile', import.meta.url));

/** Tests that need Caddy; counted as skipped on a machine without it. */
export function withCaddy(body: (startCaddy: (ports: readonly number[]) => Promise<Caddy>) => void): void {
  const program = findProgram('caddy');
  describe.skipIf(program === undefined)('caddy', () => body((ports) => startCaddy(program ?? '', ports)));
}

/** Caddy with the very file of `deploy/`, in which only addresses are replaced. */
async function startCaddy(program: string, ports: readonly number[]): Promise<Caddy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-caddy-'));
  const port = await freePort();
  const file = path.join(folder, 'Caddyfile');
  let next = 0;
  const text = (await readFile(deployed, 'utf8')).replace(/^:8080/m, `http://127.0.0.1:${port}`);
  const placed = text.replace(/node\d+:3000/g, () => `127.0.0.1:${ports[next++]}`);
  if (next !== ports.length) throw new Error(`the file of deploy/ is for ${next} nodes, not ${ports.length}`);
  await writeFile(file, `{\n\tadmin off\n}\n${placed}`);
  // The shell ends Caddy when its own input closes, which the kernel does even after kill -9.
  const script = '"$0" "$@" <&- & server=$!; cat > /dev/null; kill -TERM $server; wait $server';
  const child = spawn('/bin/sh', ['-c', script, program, 'run', '--adapter', 'caddyfile', '--config', file], {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (errors.length < 65_536) errors += chunk.toString();
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.stdin?.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => void (await fetch(url)));
  } catch (error) {
    await stop();
    throw new Error(`Caddy did not start:\n${errors}`, { cause: error });
  }
  return { url, stop };
}
