import path from 'node:path';
import { exitCode, startChild, stopChild } from '../launch/children.mjs';
import type { CommandContext } from './command.ts';

/** The server restarts on every change; the console is served by Vite, which forwards API and relay calls to it. */
export async function run({ root, args }: CommandContext): Promise<number> {
  const loopback = '127.0.0.0/8,::1/128';
  const env = { ...process.env, ALLOW_PRIVATE_UPSTREAMS: process.env.ALLOW_PRIVATE_UPSTREAMS ?? loopback };
  const server = startChild(process.execPath, ['--watch', '--watch-preserve-output', 'server/src/main.ts', ...args], {
    cwd: root,
    env,
  });
  const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const web = startChild(process.execPath, [vite, 'dev'], { cwd: path.join(root, 'console'), env });
  const code = await Promise.race([exitCode(server), exitCode(web)]);
  await Promise.all([stopChild(server), stopChild(web)]);
  return code;
}
