import type { Finding } from '../finding.ts';

/** Refuses tests that no suite runs: a workspace with tests needs a vitest.config.ts. */
export function checkSuites(paths: readonly string[]): Finding[] {
  const withTests = new Set(paths.filter((path) => /\.test\.tsx?$/.test(path)).map((path) => path.split('/')[0] ?? ''));
  return [...withTests]
    .filter((workspace) => !paths.includes(`${workspace}/vitest.config.ts`))
    .map((workspace) => ({
      path: workspace,
      line: 0,
      message: 'has tests but no vitest.config.ts, so that `npm test` would not name it',
    }));
}
