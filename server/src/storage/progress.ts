const stepPercent = 10;
/** What is over before anybody could wonder is not told. */
const worthTellingPages = 25_000;

/** Tells how far the copy of a large database is, a line each tenth. */
export function percentTold(tell: (line: string) => void) {
  let told = 0;
  return ({ copiedPages, totalPages }: { copiedPages: number; totalPages: number }): void => {
    const percent = totalPages === 0 ? 100 : Math.floor((100 * copiedPages) / totalPages);
    if (totalPages < worthTellingPages || percent < told + stepPercent) return;
    told = percent - (percent % stepPercent);
    tell(`${told} % copied`);
  };
}
