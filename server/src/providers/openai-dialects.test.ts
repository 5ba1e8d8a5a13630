import { describe, expect, test } from 'vitest';
import { openaiDialects } from './openai-dialects.ts';

test.each([
  'o1-pro',
  'o3-pro-2025-06-10',
  'gpt-5-pro',
  'gpt-5.2-codex',
  'gpt-5.1-codex-max',
  'gpt-5.5-pro',
  'gpt-6-codex',
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

describe('functions for a model that thinks or calls in chat, but not both', () => {
  const tools = (thoughts?: boolean) => ({ tools: true, thoughts });
  const calls = (model: string, thoughts?: boolean) => openaiDialects(model, tools(thoughts))[0];

  test.each(['gpt-5.4', 'gpt-5.4-mini', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6-luna', 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-7'])(
    '%s thinks about them in responses alone',
    (model) => {
      expect(openaiDialects(model, tools(true))).toEqual(['openai-responses']);
      expect(openaiDialects(model, { tools: false, thoughts: true })[0]).toBe('openai-chat');
      expect(openaiDialects(model)[0]).toBe('openai-chat');
    },
  );

  test.each(['gpt-5.5', 'gpt-5.6-terra', 'gpt-6-sol', 'gpt-6-astra'])('%s thinks unless it is told not to', (model) =>
    expect(calls(model)).toBe('openai-responses'),
  );

  test('one that does not think by itself calls them in chat', () => expect(calls('gpt-5.4')).toBe('openai-chat'));

  test.each([
    ['gpt-5.6-luna', 'openai-chat'],
    ['gpt-6-sol', 'openai-chat'],
    ['gpt-6-astra', 'openai-responses'],
    ['gpt-6.1-sol', 'openai-responses'],
    ['gpt-6.1-terra', 'openai-responses'],
  ])('who wants no thoughts reaches %s by %s: some models call none in chat', (model, dialect) =>
    expect(calls(model, false)).toBe(dialect),
  );

  test.each(['gpt-4.1', 'gpt-5', 'gpt-5.2', 'o3', 'gpt-5.6-chat-latest'])('%s does both in chat', (model) =>
    expect(calls(model, true)).toBe('openai-chat'),
  );
});
