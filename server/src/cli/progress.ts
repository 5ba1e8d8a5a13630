import type { CliWorld } from './outcome.ts';

const stepPercent = 10;
/** What is over before anybody could wonder is not told. */
const worthTellingPages = 25_000;

/** Tells how far the copy of a large database is, a line each tenth, where it is not in the way of `--json`. */
export function percentTold({ err }: Pick<CliWorld, 'err'>, what: string) {
  let told = 0;
  return ({ copiedPages, totalPages }: { copiedPages: number; totalPages: number }): void => {
    const percent = totalPages === 0 ? 100 : Math.floor((100 * copiedPages) / totalPages);
    if (totalPages < worthTellingPages || percent < told + stepPercent) return;
    told = percent - (percent % stepPercent);
    err(`${told} % ${what}\n`);
  };
}
