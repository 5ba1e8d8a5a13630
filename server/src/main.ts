import { EnvironmentError, readEnv } from './env.ts';
import type { RootState } from './identity/index.ts';
import { start } from './main-server.ts';
import { systemClock } from './platform/clock.ts';
import { createLog } from './platform/log.ts';

/** `serve` ended while charges are still in the outbox: the next start on the same data books them. */
const unsettledExitCode = 3;

const sameSignalMs = 2_000;

/** Serves until a signal ends the process. Throws EnvironmentError or what kept the server from starting. */
export async function serve({ json = false }: { json?: boolean } = {}): Promise<void> {
  const env = readEnv(process.env);
  const log = createLog(env.LOG_LEVEL);
  const server = await start(env, log);
  const url = `http://localhost:${server.port}`;
  const greeting = `\nTollgate is ready: ${url}\n${howToSignIn(server.root)}\n\n`;
  let stoppingSinceMs: number | undefined;
  const stop = () => {
    const nowMs = systemClock.monotonicMs();
    stoppingSinceMs ??= nowMs;
    // One wish to stop may arrive from the terminal, npm and a process manager at once.
    if (nowMs - stoppingSinceMs > sameSignalMs) process.exit(1);
    if (nowMs > stoppingSinceMs) return;
    server.stop().then(
      ({ unsettled }) => {
        if (unsettled > 0) log.error({ unsettled }, 'charges stay in the outbox until the next start');
        process.exit(unsettled > 0 ? unsettledExitCode : 0);
      },
      (error) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Last: whoever waits for it may send a signal at once.
  process.stdout.write(json ? `${JSON.stringify({ ready: true, url, root: server.root })}\n` : greeting);
}

function howToSignIn({ username, hasDefaultPassword }: RootState): string {
  return hasDefaultPassword
    ? `Sign in as ${username} with the password 123456 (from this machine or a private network) and change it at once.`
    : `Sign in as ${username} with the password you chose.`;
}

if (import.meta.main) {
  serve().catch((error: unknown) => {
    const text = error instanceof EnvironmentError ? `Wrong environment:\n  ${error.faults.join('\n  ')}` : String(error);
    process.stderr.write(`${text}\n`);
    process.exit(error instanceof EnvironmentError ? 2 : 1);
  });
}
