import { expect, test } from 'vitest';
import { openaiDialects } from './openai-dialects.ts';

test.each([
  'o1-pro',
  'o3-pro-2025-06-10',
  'gpt-5-pro',
  'gpt-5.2-codex',
  'gpt-5.1-codex-max',
  'codex-mini-latest',
  'o4-mini-deep-research',
])('%s is spoken to in responses, whatever the caller speaks', (model) =>
  expect(openaiDialects(model)).toEqual(['openai-responses']),
);

test.each(['gpt-4o-mini', 'gpt-5', 'gpt-5-mini', 'o1', 'o3-mini', 'gpt-3.5-turbo-instruct'])(
  '%s is spoken to in chat first',
  (model) => {
    expect(openaiDialects(model)[0]).toBe('openai-chat');
  },
);
