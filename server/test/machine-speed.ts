/** What the reference work costs on the machine that the bounds of our tests were set on, in ms of CPU time. */
const referenceMs = 36;
const rounds = 5;

/** Makes, keys, sorts and writes what a server makes, keys, sorts and writes: objects, strings, maps. */
function referenceWork(): number {
  const rows = Array.from({ length: 60_000 }, (_, index) => ({
    id: index,
    name: `row ${(index * 7919) % 60_000}`,
    weight: index % 97,
  }));
  const byName = new Map(rows.map((row) => [row.name, row]));
  const sorted = rows.toSorted((a, b) => a.weight - b.weight || (a.name < b.name ? -1 : 1));
  const text = JSON.stringify(sorted.slice(0, 10_000));
  return (JSON.parse(text) as unknown[]).length + byName.size;
}

/**
 * How much slower than that this machine is at this moment, 1 at least: a bound in CPU time is multiplied with it, so that
 * it says how much work something is, whoever else uses processor and caches.
 */
export function slowness(): number {
  const figures = Array.from({ length: rounds }, () => {
    const before = process.threadCpuUsage();
    referenceWork();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  const median = figures.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  return Math.max(1, median / referenceMs);
}

/** A bound in CPU time for what took so long: the machine is measured, a third of a second, only where it would not do as it is. */
export const allowedMs = (boundMs: number, tookMs: number): number => (tookMs < boundMs ? boundMs : boundMs * slowness());
