import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../server/bin/tollgate.mjs', import.meta.url));
const timeoutMs = (process.env.TOLLGATE_SOAK === '1' ? 15 : 2) * 60_000;

/** Runs `tollgate <args> --json` as a process of its own; what it printed, and its exit code. */
export function tollgate(env: Record<string, string | undefined>, ...args: string[]) {
  return new Promise<{ exitCode: number; json: Record<string, unknown>; err: string }>((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 1 << 24 };
    execFile(process.execPath, [program, ...args, '--json'], options, (error, out, err) => {
      if (out === '') reject(new Error(`tollgate ${args[0]} printed nothing: ${err}`));
      else resolve({ exitCode: Number(error?.code ?? 0), json: JSON.parse(out), err });
    });
  });
}
