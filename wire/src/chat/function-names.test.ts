import { expect, test } from 'vitest';
import { renameFunctions } from './function-names.ts';
import type { ChatRequest } from './request.ts';

const fits = /^[a-zA-Z0-9_-]{1,64}$/;

function asking(names: readonly string[], more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: 'm',
    system: [],
    messages: [],
    tools: names.map((name) => ({ kind: 'function', name })),
    stop: [],
    choices: 1,
    stream: false,
    wantsUsage: false,
    ...more,
  };
}

function namesOf(request: ChatRequest | undefined): string[] {
  return request?.tools.map(({ name }) => name) ?? [];
}

test('names that fit stay', () => {
  expect(renameFunctions(asking(['f', 'get-it_2']), fits)).toBeUndefined();
});

test('a name is told in letters that fit, wherever it stands, and understood on its way back', () => {
  const call = { kind: 'tool-call', id: 'c', name: 'a.b', arguments: '{}' } as const;
  const result = { kind: 'tool-result', id: 'c', name: 'a.b', content: [] } as const;
  const found = renameFunctions(
    asking(['a.b', 'c'], {
      toolChoice: { name: 'a.b' },
      messages: [
        { role: 'assistant', parts: [call] },
        { role: 'user', parts: [result] },
      ],
    }),
    fits,
  );
  expect(namesOf(found?.request)).toEqual(['a_b', 'c']);
  expect(found?.request.toolChoice).toEqual({ name: 'a_b' });
  expect(found?.request.messages.map(({ parts }) => parts)).toMatchObject([[{ name: 'a_b' }], [{ name: 'a_b' }]]);
  expect(['a_b', 'c', 'never offered'].map((name) => found?.original(name))).toEqual(['a.b', 'c', 'never offered']);
});

test('names that would become one stay apart; long ones are cut alike in every turn', () => {
  const long = `mcp__${'x'.repeat(90)}`;
  const names = ['a.b', 'a/b', 'a_b', '7th', long, `${long}2`];
  const found = renameFunctions(asking(names), fits);
  const spelled = namesOf(found?.request);
  expect(new Set(spelled).size).toBe(names.length);
  for (const name of spelled) expect(name).toMatch(fits);
  expect(spelled.map((name) => found?.original(name))).toEqual(names);
  expect(namesOf(renameFunctions(asking(names), fits)?.request)).toEqual(spelled);
});
