import { expect, test } from 'vitest';
import { cpuMs } from '../../test/cpu-ms.ts';
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

/** FNV-1a of a text behind another one. */
function hashed(from: number, text: string): number {
  let hash = from;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

/** Two texts behind which the hash is the same. */
function twins(from: number): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let k = 0; ; k += 1) {
    const text = Math.imul(k + 1, 0x9e3779b1)
      .toString(36)
      .padStart(7, '0');
    const hash = hashed(from, text);
    const other = seen.get(hash);
    if (other !== undefined) return [other, text];
    seen.set(hash, text);
  }
}

test('many names that are made to want the same mark are told apart in a moment', () => {
  let names = [`${'x'.repeat(60)}.`];
  for (let state = hashed(0x811c9dc5, names[0] ?? ''); names.length < 16_384; ) {
    const [one, other] = twins(state);
    names = names.flatMap((name) => [name + one, name + other]);
    state = hashed(state, one);
  }
  const from = cpuMs();
  const found = renameFunctions(asking(names), fits);
  expect(cpuMs() - from).toBeLessThan(5_000);
  expect(new Set(namesOf(found?.request)).size).toBe(names.length);
}, 60_000);
