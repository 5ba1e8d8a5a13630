import { readFileSync, writeFileSync } from 'node:fs';
import { variables } from '../server/src/env.ts';
import { withEnvironmentTable } from './check/rules/readme.ts';

const readme = new URL('../README.md', import.meta.url);
const updated = withEnvironmentTable(readFileSync(readme, 'utf8'), variables);
if (updated === undefined) throw new Error('README.md has lost the marks around its environment table');
writeFileSync(readme, updated);
