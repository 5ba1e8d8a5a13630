import { openaiChat } from '@tollgate/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { affinitySeed } from '../routing/index.ts';
import { conversationOf } from './conversation.ts';
import { saidByCaller } from './said-by-caller.ts';

interface Message {
  role: string;
  content: unknown;
}

function seedOf(messages: Message[], more: object = {}, tokenId = 1): number {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...more, messages }));
  const result = openaiChat.dialect.peekRequest(bytes);
  if (!result.ok) throw new Error(result.reason);
  const conversation = conversationOf({ bytes, peek: result.peek });
  return affinitySeed(tokenId, conversation ?? new Uint8Array());
}

const user = (content: unknown): Message => ({ role: 'user', content });
const system = (content: string): Message => ({ role: 'system', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

test('every turn of a conversation has the seed of its first, whatever it says', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 3_000 });
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 5 }), (rules, opening, later) => {
      const begin = [system(rules), user(opening)];
      const turns = later.flatMap((words) => [assistant(words), user(words)]);
      expect(seedOf([...begin, ...turns], { temperature: 1 })).toBe(seedOf(begin));
    }),
    { numRuns: 200 },
  );
});

test('other words, another token, another user: another seed, also behind the same long rules', () => {
  const rules = system('x'.repeat(5_000));
  const seeds = [
    seedOf([rules, user('one')]),
    seedOf([rules, user('two')]),
    seedOf([rules, user('one')], {}, 2),
    seedOf([rules, user('one')], { user: 'alice' }),
    seedOf([rules, user('one')], { user: 'bob' }),
    seedOf([rules, user('one')], { prompt_cache_key: 'k' }),
    seedOf([user([{ type: 'text', text: 'one "user" } ] \\' }])]),
  ];
  expect(new Set(seeds).size).toBe(seeds.length);
});

test('who names a user or a cache key stays with it whatever is said', () => {
  expect(seedOf([user('one')], { user: 'alice' })).toBe(seedOf([user('two')], { user: 'alice' }));
  expect(seedOf([user('one')], { prompt_cache_key: 'k', user: 'a' })).toBe(seedOf([user('two')], { prompt_cache_key: 'k' }));
});

test('a phrase of the caller is found as it came and behind escapes', () => {
  const body = (content: string) => Buffer.from(`{"messages":[{"role":"user","content":"${content}"}]}`);
  expect(saidByCaller(body('Your Quota is gone'), 'your quota')).toBe(true);
  expect(saidByCaller(body('Yo\\u0075r quota'), 'your quota')).toBe(true);
  expect(saidByCaller(body('nothing of it'), 'your quota')).toBe(false);
  expect(saidByCaller(Buffer.from('{"broken'), 'your quota')).toBe(false);
});
