import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One file of the repository, as the checks see it. */
export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const notOurs = new Set(['node_modules', '.git', 'dist', 'generated', '.cache', 'test-results', 'coverage']);

/** All files of the repository except products and dependencies, from the root, sorted. */
export function listFiles(root: string): string[] {
  const files: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !notOurs.has(entry.name) && relative !== 'data') visit(relative);
      else if (entry.isFile()) files.push(relative);
    }
  };
  visit('');
  return files.sort();
}

/** Reads the files whose path fits. */
export function readSources(root: string, fits: RegExp): SourceFile[] {
  return listFiles(root)
    .filter((file) => fits.test(file))
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}
