import type { SourceFile } from '../../source-files.ts';
import { type Finding, lineAt } from '../finding.ts';

interface Leftover {
  readonly pattern: RegExp;
  readonly message: string;
  readonly testsOnly?: boolean;
}

const leftovers: readonly Leftover[] = [
  { pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/g, message: 'marks something unfinished: finish it or open an issue' },
  { pattern: /@ts-(?:ignore|nocheck|expect-error)\b/g, message: 'silences the type checker: state the type instead' },
  {
    pattern: /\b(?:it|test|describe)\.(?:only|skip|todo|fails)\b/g,
    message: 'leaves a test out; a missing engine is skipped with skipIf',
    testsOnly: true,
  },
  {
    pattern: /\bimport\.meta\.main\b/g,
    message: 'is unknown to runtimes before 24.2, which then do nothing: give what is started a file of its own',
  },
  {
    pattern: /\bvi\.(?:mock|doMock|resetModules)\b/g,
    message: 'changes modules that files share: give what is to be replaced as a parameter',
    testsOnly: true,
  },
];
const code = /\.(ts|tsx|mjs)$/;

/** Refuses marks of unfinished work and ways around the checks; Biome itself refuses `any` and suppressions without a reason. */
export function checkLeftovers(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => code.test(path) && !path.startsWith('scripts/check/rules/'))
    .flatMap((file) => leftovers.flatMap((leftover) => findingsOf(file, leftover)));
}

function findingsOf({ path, text }: SourceFile, { pattern, message, testsOnly }: Leftover): Finding[] {
  if (testsOnly === true && !/\.test\.tsx?$/.test(path)) return [];
  return [...text.matchAll(pattern)].map((match) => ({
    path,
    line: lineAt(text, match.index),
    message: `"${match[0]}" ${message}`,
  }));
}
