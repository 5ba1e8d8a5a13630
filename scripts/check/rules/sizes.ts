import type { SourceFile } from '../../source-files.ts';
import type { Finding } from '../finding.ts';

const refusedAbove = 400;
const questionedAbove = 250;
const code = /\.(ts|tsx|mjs|cjs|js|css)$/;

/** path -> why the file may be longer. */
export type LongFiles = Readonly<Record<string, string>>;

export function lineCount(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Refuses files above 400 lines without a listed reason, and reasons that are no longer needed. */
export function checkSizes(files: readonly SourceFile[], reasons: LongFiles, listPath: string): Finding[] {
  const lines = new Map(files.filter(({ path }) => code.test(path)).map((file) => [file.path, lineCount(file.text)]));
  const tooLong = [...lines].flatMap(([path, count]) => {
    if (count <= refusedAbove || (reasons[path] ?? '').trim() !== '') return [];
    return [{ path, line: 0, message: `has ${count} lines (limit ${refusedAbove}): split it, or give a reason in ${listPath}` }];
  });
  const stale = Object.keys(reasons)
    .filter((path) => (lines.get(path) ?? 0) <= refusedAbove)
    .map((path) => ({
      path: listPath,
      line: 0,
      message: `lists ${path}, which is not above ${refusedAbove} lines: remove the entry`,
    }));
  return [...tooLong, ...stale];
}

/** Files that are worth a second look; they refuse nothing. */
export function questionSizes(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => code.test(path))
    .map((file) => ({ path: file.path, count: lineCount(file.text) }))
    .filter(({ count }) => count > questionedAbove && count <= refusedAbove)
    .map(({ path, count }) => ({ path, line: 0, message: `has ${count} lines: is there a second concept in it?` }));
}
