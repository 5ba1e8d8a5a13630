import { type Env, readEnv } from './env.ts';
import type { RootState } from './identity/index.ts';
import { keepHeapsSmall } from './main-heap.ts';
import { start } from './main-server.ts';
import { startWorkers, WorkerNotStarted, workerPlace } from './main-workers.ts';
import { systemClock } from './platform/clock.ts';
import { stopSignals } from './platform/first-process.ts';
import { createLog, type Log } from './platform/log.ts';

/** `serve` ended while charges are still in the outbox: the next start on the same data books them. */
const unsettledExitCode = 3;

const sameSignalMs = 2_000;

/** Serves until a signal ends the process. Throws EnvironmentError or what kept the server from starting. */
export async function serve({ json = false }: { json?: boolean } = {}): Promise<void> {
  keepHeapsSmall();
  const env = readEnv(process.env);
  const log = createLog(env.LOG_LEVEL);
  // One thing that nobody foresaw ends no stream of others: charges that it kept from their ledger stay in their holds.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise failed that nobody waits for'));
  // As the log does, the greeting does without a reader.
  process.stdout.on('error', () => undefined);
  const place = workerPlace(env);
  if (env.WORKERS > 1 && place === undefined) return serveByWorkers(env, log, json);
  const server = await start(env, log, place);
  let wishes = 0;
  let wishedAtMs = Number.NEGATIVE_INFINITY;
  const stop = () => {
    const nowMs = systemClock.monotonicMs();
    // One wish to stop may arrive from the terminal, npm and a process manager at once.
    if (nowMs - wishedAtMs < sameSignalMs) return;
    wishedAtMs = nowMs;
    wishes += 1;
    if (wishes === 2) return server.hurry();
    if (wishes > 2) process.exit(1);
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
  onStopSignal(stop);
  // Last: whoever waits for it may send a signal at once.
  if (place === undefined) greet(server, json);
  else place.line.tell('ready', { port: server.port, root: server.root });
}

/** The process that starts the workers serves nothing itself. */
async function serveByWorkers(env: Env, log: Log, json: boolean): Promise<void> {
  const workers = await startWorkers(env, log).catch((error: unknown) => {
    if (error instanceof WorkerNotStarted) process.exit(error.exitCode);
    throw error;
  });
  void workers.ended.then((code) => process.exit(code));
  onStopSignal(workers.signalAll);
  greet(workers, json);
}

/** From now on, instead of what any process does. */
function onStopSignal(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of stopSignals) process.removeAllListeners(signal).on(signal, listener);
}

function greet({ port, root }: { readonly port: number; readonly root: RootState }, json: boolean): void {
  const url = `http://localhost:${port}`;
  const greeting = `\nTollgate is ready: ${url}\n${howToSignIn(root)}\n\n`;
  process.stdout.write(json ? `${JSON.stringify({ ready: true, url, root })}\n` : greeting);
}

function howToSignIn({ username, hasDefaultPassword }: RootState): string {
  return hasDefaultPassword
    ? `Sign in as ${username} with the password 123456 (from this machine or a private network) and change it at once.`
    : `Sign in as ${username} with its password.`;
}
