import { readFileSync } from 'node:fs';
import path from 'node:path';
import { errors } from '../../contract/src/errors.ts';
import { variables } from '../../server/src/env.ts';
import { listFiles, readSources } from '../source-files.ts';
import { describeFinding, type Finding } from './finding.ts';
import { checkBalances } from './rules/balances.ts';
import { checkCycles, checkDirection } from './rules/imports.ts';
import { checkLeftovers } from './rules/leftovers.ts';
import { checkLock, type LockFile } from './rules/lock.ts';
import { checkErrorTexts } from './rules/messages.ts';
import { checkReadme } from './rules/readme.ts';
import { checkSizes, type LongFiles, questionSizes } from './rules/sizes.ts';
import { checkSuites } from './rules/suites.ts';
import { checkTexts } from './rules/texts.ts';
import { checkVendors } from './rules/vendors.ts';

const lockPath = 'package-lock.json';
const longFilesPath = 'scripts/check/long-files.json';
/** Stored answers and catalogues are data, not code to be read. */
const data = /(^|\/)fixtures\/|\.d\.ts$/;

export interface RuleResult {
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Our own rules over the whole repository. Reads files, changes nothing. */
export function runOwnRules(root: string): RuleResult[] {
  const sources = readSources(root, /\.(ts|tsx|mjs|cjs|css)$/).filter(({ path: file }) => !data.test(file));
  const modules = sources.filter(({ path: file }) => /\.tsx?$/.test(file));
  const longFiles = JSON.parse(readFileSync(path.join(root, longFilesPath), 'utf8')) as LongFiles;
  for (const finding of questionSizes(sources)) console.log(`note: ${describeFinding(finding)}`);
  return [
    { name: 'import directions', findings: checkDirection(modules) },
    { name: 'import cycles', findings: checkCycles(modules) },
    { name: 'vendor names', findings: checkVendors(modules) },
    { name: 'balances', findings: checkBalances(modules) },
    { name: 'messages', findings: checkErrorTexts('contract/src/errors.ts', errors) },
    { name: 'texts', findings: checkTexts(modules) },
    { name: 'file sizes', findings: checkSizes(sources, longFiles, longFilesPath) },
    { name: 'leftovers', findings: checkLeftovers(sources) },
    { name: 'suites', findings: checkSuites(listFiles(root)) },
    { name: 'readme', findings: readme(root) },
    { name: 'lock file', findings: checkLock(lockPath, readLock(root)) },
  ];
}

const readLock = (root: string) => JSON.parse(readFileSync(path.join(root, lockPath), 'utf8')) as LockFile;

function readme(root: string): Finding[] {
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const sources = { variables, performance: read('docs/performance.md'), conformance: read('docs/conformance.md') };
  return checkReadme(read('README.md'), sources);
}
