/** How many tests ended how, over any number of suites. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const none: Counts = { passed: 0, failed: 0, skipped: 0 };

export function add(one: Counts, other: Counts): Counts {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed, skipped: one.skipped + other.skipped };
}

/**
 * Reads vitest's JSON report. A run that failed without a failed test (a file that does not load, an unhandled error,
 * a crash, no report) counts as one failure, so that nothing red can add up to green.
 */
export function fromVitest(report: string, exitCode: number): Counts {
  const parsed = parse(report);
  if (parsed === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const passed = numberAt(parsed, 'numPassedTests');
  const failed = numberAt(parsed, 'numFailedTests');
  const skipped = numberAt(parsed, 'numPendingTests') + numberAt(parsed, 'numTodoTests');
  return { passed, failed: failed === 0 && exitCode !== 0 ? 1 : failed, skipped };
}

/** The one line that a test run ends with. */
export function summaryLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function numberAt(record: Record<string, unknown>, key: string): number {
  const value = record[key];
  return typeof value === 'number' ? value : 0;
}
