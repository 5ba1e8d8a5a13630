import { readFileSync, writeFileSync } from 'node:fs';
import { variables } from '../server/src/env.ts';
import { withTables } from './check/rules/readme.ts';

const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
const sources = { variables, performance: read('docs/performance.md'), conformance: read('docs/conformance.md') };
const updated = withTables(read('README.md'), sources);
if (updated === undefined) throw new Error('README.md has lost the marks around one of its tables');
writeFileSync(new URL('../README.md', import.meta.url), updated);
