import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { eventually } from './wait.ts';

export interface Balancer {
  readonly url: string;
  /** What it did so far, oldest first: `<status> <node>[, <node>]`, the nodes' ports in the order in which they were asked. */
  log(): Promise<readonly string[]>;
  /** Resolves when the node of that port has answered a call that came from now on: it was away, and is asked again. */
  hasBack(port: number | undefined): Promise<void>;
  /** What it complained about. */
  errors(): string;
  stop(): Promise<void>;
}

const deployed = fileURLToPath(new URL('../../deploy/nginx/tollgate.conf', import.meta.url));

/** `change`: what is wrong with the file, where that is what is looked at. */
type StartNginx = (ports: readonly number[], change?: (text: string) => string) => Promise<Balancer>;

/** Tests that need nginx; counted as skipped on a machine without it. */
export function withNginx(body: (startNginx: StartNginx) => void): void {
  const program = findProgram('nginx');
  describe.skipIf(program === undefined)('nginx', () => body((...args) => startNginx(program ?? '', ...args)));
}

/** nginx with the very file of `deploy/`, in which only addresses are replaced. */
async function startNginx(
  program: string,
  ports: readonly number[],
  change: (text: string) => string = (text) => text,
): Promise<Balancer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-nginx-'));
  const port = await freePort();
  const logFile = path.join(folder, 'access.log');
  await writeFile(
    path.join(folder, 'nginx.conf'),
    around(folder, logFile, rendered(change(await readFile(deployed, 'utf8')), port, ports)),
  );
  // The shell ends nginx when its own input closes, which the kernel does even after kill -9.
  const script = 'trap : TERM; "$0" "$@" <&- & server=$!; cat > /dev/null; kill -TERM $server; wait $server';
  const args = ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')];
  const child: ChildProcess = spawn('/bin/sh', ['-c', script, program, ...args], { stdio: ['pipe', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    if (errors.length < 65_536) errors += chunk.toString();
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.stdin?.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => connects(port));
  } catch (error) {
    await stop();
    throw new Error(`nginx did not start:\n${errors}`, { cause: error });
  }
  const log = async () => (await readFile(logFile, 'utf8')).split('\n').filter((line) => line !== '');
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    async hasBack(node) {
      const before = (await log()).length;
      await eventually(async () => {
        const answered = (await log()).slice(before);
        expect(answered.some((line) => line.endsWith(`127.0.0.1:${node}`))).toBe(true);
      });
    },
    errors: () => errors,
    stop,
  };
}

function rendered(text: string, port: number, ports: readonly number[]): string {
  const nodes = [...text.matchAll(/server node\d+:3000/g)];
  if (nodes.length !== ports.length) throw new Error(`the file of deploy/ is for ${nodes.length} nodes, not ${ports.length}`);
  let next = 0;
  return text
    .replace(/server node\d+:3000/g, () => `server 127.0.0.1:${ports[next++]}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`);
}

function around(folder: string, logFile: string, text: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  ${temporary.join('\n  ')}
  log_format asked '$status $upstream_addr';
  access_log ${logFile} asked;
${text}
}
`;
}

async function connects(port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
