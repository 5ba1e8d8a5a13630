import { expect, test } from 'vitest';
import type { KeyRecord } from '../identity/index.ts';
import { checkKey } from './check-key.ts';

const key = (...models: string[]) => ({ modelLimits: new Set(models) }) as unknown as KeyRecord;

test('a key is limited to the names that it lists; custom assistants share one', () => {
  const ask = (record: KeyRecord, model: string) => () => checkKey(record, '127.0.0.1', model);
  expect(ask(key('gpt-4o', 'gpt-4o-gizmo-*'), 'gpt-4o-gizmo-g-abc')).not.toThrow();
  expect(ask(key('gpt-4o-gizmo-g-abc'), 'gpt-4o-gizmo-g-abc')).not.toThrow();
  expect(ask(key('gpt-4o-gizmo-g-abc'), 'gpt-4o-gizmo-g-other')).toThrow();
  expect(ask(key('gpt-4o-gizmo-*'), 'gpt-4o')).toThrow();
  expect(ask(key(), 'gpt-4o')).toThrow();
});
