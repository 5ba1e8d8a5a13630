import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answerShapes } from './answer-shapes.ts';

const root = path.resolve(import.meta.dirname, '..');
const shapes = answerShapes(root);

test('the printed shapes of the answers are those of the types (node scripts/print-answers.ts)', () => {
  expect(JSON.parse(readFileSync(path.join(root, 'contract/src/openapi/answers.json'), 'utf8'))).toEqual(shapes);
});

test('a type of the contract is described as JSON shows it', () => {
  const { answers, components } = shapes;
  expect(answers['doctor.report']).toEqual({ $ref: '#/components/schemas/DoctorReport' });
  expect(components.DoctorReport).toEqual({
    type: 'object',
    properties: {
      ok: { type: 'boolean', description: 'Nothing fails; there may be warnings.' },
      checked_at: { type: 'number' },
      checks: { type: 'array', items: { $ref: '#/components/schemas/DoctorCheck' } },
    },
    required: ['ok', 'checked_at', 'checks'],
  });
  expect(components.DoctorLevel).toEqual({ enum: ['fail', 'ok', 'warn'] });
  expect(components.LoginAnswer?.required).not.toContain('ticket');
  expect(answers['imports.state']).toEqual({ anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/ImportRun' }] });
  expect(answers['account.groups']).toEqual({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/UsableGroup' },
  });
  expect(answers['account.logout']).toBeUndefined();
});

test('every reference leads somewhere, and everything named is used', () => {
  const used = new Set([...JSON.stringify(shapes).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual(Object.keys(shapes.components).sort());
});
