import type { CDPSession, Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const repeats = 5;
/** What a page does with a long list, without any of our code: makes 1,200 cells and lays them out. */
const referenceWork = `(() => {
  const table = document.createElement('table');
  table.style.cssText = 'position: absolute; visibility: hidden';
  for (let row = 0; row < 100; row += 1) {
    const line = table.insertRow();
    for (let cell = 0; cell < 12; cell += 1) {
      const text = document.createElement('span');
      text.textContent = 'row ' + row + ' cell ' + cell;
      line.insertCell().append(text);
    }
  }
  document.body.append(table);
  const height = table.offsetHeight;
  table.remove();
  return height;
})()`;

/**
 * Processor time of each task of the page's main thread while something is done, the longest first, in ms. Not the time on
 * the clock: others use the machine as well.
 */
export async function tasksDuring(page: Page, act: () => Promise<void>): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  try {
    await session.send('Tracing.start', {
      traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
      transferMode: 'ReportEvents',
    });
    await act();
    // A task is written down at its end, which comes after what it answers: the next one begins behind it.
    await page.evaluate('0');
    await endOf(session);
  } finally {
    await session.detach();
  }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf));
  return events
    .filter((event) => event.ph === 'X' && event.name === 'RunTask' && main.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000)
    .sort((a, b) => b - a);
}

async function endOf(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await complete;
}

/** How long the reference work takes this browser on this machine now, in ms of processor time: the median of several. */
export async function referenceTaskMs(page: Page): Promise<number> {
  const figures = [];
  for (let turn = 0; turn < repeats; turn += 1)
    figures.push((await tasksDuring(page, async () => void (await page.evaluate(referenceWork))))[0] ?? Number.NaN);
  return figures.sort((a, b) => a - b)[Math.floor(repeats / 2)] ?? Number.NaN;
}
