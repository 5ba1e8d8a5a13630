import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../e2e/support/free-port.ts';
import { type Child, startChild } from './children.ts';
import { childrenOf } from './proc.ts';

const startTimeoutMs = 5_000;
const pollMs = 20;

export interface NginxProxy {
  readonly port: number;
  /** The worker: the master does nothing while it runs. */
  readonly workerPid: number;
  stop(): Promise<void>;
}

/** The limit that everything is compared with: one worker, kept connections on both sides, nothing logged, nothing buffered. */
function config(folder: string, port: number, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  keepalive_requests 1000000000;
  client_body_buffer_size 1m;
  upstream mock { server 127.0.0.1:${upstreamPort}; keepalive 1024; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}

/** Starts nginx in a folder of its own, pinned with its worker when `core` is given. */
export async function startNginx(program: string, core: number | undefined, upstreamPort: number): Promise<NginxProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-nginx-'));
  const port = await freePort();
  await writeFile(path.join(folder, 'nginx.conf'), config(folder, port, upstreamPort));
  // The shell ends nginx when its own input closes, which the kernel does even after kill -9.
  const script = 'trap : TERM; "$0" "$@" <&- & server=$!; cat > /dev/null; kill -TERM $server; wait $server';
  const args = ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')];
  const child = await startChild(core, '/bin/sh', ['-c', script, program, ...args]);
  const stop = async () => {
    await child.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { port, workerPid: await findWorker(child, port), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function findWorker(child: Child, port: number): Promise<number> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline && child.ended() === undefined) {
    const worker = childrenOf(child.pid).flatMap(childrenOf)[0];
    if (worker !== undefined && (await isListening(port))) return worker;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`nginx did not start: ${child.ended() ?? 'time-out'}`);
}

async function isListening(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
