import path from 'node:path';

/** How tests ended, over any number of suites. */
export interface Counts {
  readonly passed: number;
  /** A line for each that failed: where it stands, its name, and the first line of why. */
  readonly failures: readonly string[];
  readonly skipped: number;
}

export const none: Counts = { passed: 0, failures: [], skipped: 0 };

export function add(one: Counts, other: Counts): Counts {
  return {
    passed: one.passed + other.passed,
    failures: [...one.failures, ...other.failures],
    skipped: one.skipped + other.skipped,
  };
}

/** The parts of vitest's JSON report that are read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { status: string; fullName: string; failureMessages?: readonly string[] }[];
  }[];
}

/**
 * Reads vitest's JSON report of a workspace. A run that failed without a failed test (a file that does not load, an
 * unhandled error, a crash, no report) counts as one failure, so that nothing red can add up to green.
 */
export function fromVitest(workspace: string, report: string, exitCode: number): Counts {
  const parsed = parse(report);
  if (parsed === undefined) return { ...none, failures: [`${workspace}: no report (exit code ${exitCode})`] };
  const failures = parsed.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages = [] }) => {
        const why = failureMessages[0]?.split('\n')[0] ?? '';
        return `${workspace}: ${path.basename(name)}: ${fullName.trim()}: ${why}`;
      }),
  );
  const skipped = parsed.numPendingTests + parsed.numTodoTests;
  if (failures.length === 0 && exitCode !== 0) failures.push(`${workspace}: exit code ${exitCode} without a failed test`);
  return { passed: parsed.numPassedTests, failures, skipped };
}

/** What a test run ends with: every failure again, then the one line that counts. */
export function summary({ passed, failures, skipped }: Counts): string {
  const counts = `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  return failures.length === 0 ? counts : `Failed:\n${failures.map((each) => `  ${each}\n`).join('')}\n${counts}`;
}

function parse(text: string): Report | undefined {
  try {
    const value = JSON.parse(text) as Report | null;
    return Array.isArray(value?.testResults) ? value : undefined;
  } catch {
    return undefined;
  }
}
