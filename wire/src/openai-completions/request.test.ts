import { expect, test } from 'vitest';
import type { JsonObject } from '../json.ts';
import type { RequestEdits } from '../request.ts';
import { editRequest, peekRequest } from './request.ts';

function edited(body: JsonObject, edits: RequestEdits): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = peekRequest(bytes);
  if (!result.ok) throw new Error(result.reason);
  return JSON.parse(editRequest(bytes, result.peek, edits).toString());
}

const plain = { model: 'm', prompt: 'x' };

test.each<[said: JsonObject, edits: RequestEdits, sent: JsonObject]>([
  [{}, { cap: 40 }, { max_tokens: 40 }],
  [{ max_tokens: 100 }, { cap: 40 }, { max_tokens: 40 }],
  [{ max_tokens: 10 }, { cap: 40 }, { max_tokens: 10 }],
  [{ max_tokens: null }, { cap: 40 }, { max_tokens: 40 }],
  [{ max_completion_tokens: 1 }, { cap: 40 }, { max_completion_tokens: 1, max_tokens: 40 }],
  [{}, { cap: 40, capField: 'max_completion_tokens' }, { max_tokens: 40 }],
  [{}, { cap: 40, more: new Map([['max_tokens', '7']]) }, { max_tokens: 7 }],
])('a cap is lowered in the one member that is one here: %j', (said, edits, sent) => {
  expect(edited({ ...plain, ...said }, edits)).toEqual({ ...plain, ...sent });
});
