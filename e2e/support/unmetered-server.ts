import { readEnv } from '../../server/src/env.ts';
import { start } from '../../server/src/main-server.ts';

type Ledger = ReturnType<NonNullable<Parameters<typeof start>[3]>>;

/** Books nothing: every hold is granted and every charge is as good as made. */
const bookless: Ledger = {
  hold: () => Promise.resolve({ ok: true }),
  dispatch: () => Promise.resolve(true),
  checkpoint: () => Promise.resolve(true),
  extend: () => Promise.resolve(true),
  settle: ({ cost }) => Promise.resolve({ closed: true, collected: cost, shortfall: 0, correction: 0 }),
  release: () => Promise.resolve(true),
  sweep: () => Promise.resolve(0),
  flush: () => Promise.resolve(),
};

// The server as it is, but for its ledger: what is left of a call's cost is not the meter's.
const server = await start(readEnv(process.env), undefined, undefined, () => bookless);
process.once('SIGTERM', () => void server.stop().finally(() => process.exit(0)));
process.stdout.write(`ready: http://localhost:${server.port}\n`);
