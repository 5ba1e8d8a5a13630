import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { answerShapes } from './answer-shapes.ts';

const root = path.resolve(import.meta.dirname, '..');
writeFileSync(path.join(root, 'contract/src/openapi/answers.json'), `${JSON.stringify(answerShapes(root), null, 1)}\n`);
