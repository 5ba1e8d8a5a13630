import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../src/chat/parts.ts';
import type { ChatRequest, Message } from '../src/chat/request.ts';
import { clientDialects, type JsonObject, upstreamDialect } from '../src/index.ts';
import { asObject, asObjects, asText } from '../src/json.ts';

/** What a caller may say in its own dialect, in an order that another one does not take, comes in one that it takes. */

const words = fc.constantFrom('a', 'b c', '', ' ', '\n').map((text): Part => ({ kind: 'text', text }));
const image: Part = { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'iVBORw0KGgo=' } };
const odd = fc.constantFrom<Part[]>(
  image,
  { kind: 'file', source: { at: 'upstream', id: 'x', dialect: 'other' } },
  { kind: 'foreign', dialect: 'other', name: 'thing', raw: { type: 'thing' } },
);
const thought = fc
  .constantFrom('openai-chat', 'anthropic-messages', 'gemini-generate', 'other')
  .map((dialect): Part => ({ kind: 'reasoning', text: 'Hm.', dialect }));
const content = fc.constantFrom<Extract<Part, { kind: 'tool-result' }>['content'][]>([], [{ kind: 'text', text: 'r' }], [image]);

const turn = fc.record({
  user: fc.array(fc.oneof(words, odd), { maxLength: 2 }),
  answer: fc.array(fc.oneof(words, thought, odd), { maxLength: 2 }),
  results: fc.array(content, { maxLength: 3 }),
  /** Results come in another order, each in a message of its own, among words of the user's, or behind an instruction. */
  ...{ isReversed: fc.boolean(), isSplit: fc.boolean(), isAmong: fc.boolean(), isInterrupted: fc.boolean() },
});

function conversation(turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[]): Message[] {
  const said = (role: Message['role'], ...parts: Part[]): Message => ({ role, parts });
  const and: Part = { kind: 'text', text: 'and' };
  const messages = turns.flatMap(({ user, answer, results, ...how }, at): Message[] => {
    const ids = results.map((_, index) => `call_${at}_${index}`);
    const calls = ids.map((id): Part => ({ kind: 'tool-call', id, name: 'f', arguments: '{"a":1}' }));
    const told = results.map(
      (result, index): Part => ({ kind: 'tool-result', id: ids[index] ?? '', name: 'f', content: result }),
    );
    const ordered = how.isReversed ? told.reverse() : told;
    return [
      said('user', ...user),
      said('assistant', ...answer, ...calls),
      ...(how.isInterrupted ? [said('system', { kind: 'text', text: 'Be brief.' })] : []),
      ...(how.isSplit ? ordered.map((part) => said('user', part)) : [said('user', ...(how.isAmong ? [and] : []), ...ordered)]),
    ];
  });
  return [...messages, said('user', and)];
}

/** What each content of a conversation calls and answers, and whether it is the model's. */
interface Step {
  readonly isModel: boolean;
  readonly calls: readonly string[];
  readonly results: readonly string[];
  readonly isEmpty?: boolean;
}

const blocksOf = ({ content }: JsonObject) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
const idsOf = (items: readonly unknown[], member: string) => items.flatMap((item) => asText(asObject(item)?.[member]) || []);
const isBlank = ({ text }: JsonObject) => typeof text === 'string' && text.trim() === '';

/** One tool message for each result: neighbours are one step. */
function chatSteps(body: JsonObject): Step[] {
  const steps: Step[] = [];
  for (const { role, tool_call_id, tool_calls, content: text } of asObjects(body.messages)) {
    const last = steps.at(-1);
    if (role !== 'tool') {
      const calls = idsOf(asObjects(tool_calls), 'id');
      steps.push({ isModel: role === 'assistant', calls, results: [], isEmpty: text === null && calls.length === 0 });
    } else if (last !== undefined && last.results.length > 0) {
      steps[steps.length - 1] = { ...last, results: [...last.results, asText(tool_call_id)] };
    } else steps.push({ isModel: false, calls: [], results: [asText(tool_call_id)] });
  }
  return steps;
}

const stepsOf: Readonly<Record<string, (body: JsonObject) => Step[]>> = {
  'openai-chat': chatSteps,
  'cohere-chat': chatSteps,
  'anthropic-messages': (body) =>
    asObjects(body.messages).map((message) => {
      const blocks = blocksOf(message);
      const isEmpty = blocks.length === 0 || [...blocks, ...blocks.flatMap(blocksOf)].some(isBlank);
      const calls = blocks.filter(({ type }) => type === 'tool_use');
      return { isModel: message.role === 'assistant', calls: idsOf(calls, 'id'), results: idsOf(blocks, 'tool_use_id'), isEmpty };
    }),
  'bedrock-converse': (body) =>
    asObjects(body.messages).map((message) => {
      const blocks = blocksOf(message);
      const isEmpty = blocks.length === 0 || blocks.some(isBlank);
      const calls = blocks.map(({ toolUse }) => toolUse);
      const results = blocks.map(({ toolResult }) => toolResult);
      const [used, told] = [idsOf(calls, 'toolUseId'), idsOf(results, 'toolUseId')];
      return { isModel: message.role === 'assistant', calls: used, results: told, isEmpty };
    }),
  'gemini-generate': (body) =>
    asObjects(body.contents).map(({ role, parts }) => {
      const pieces = asObjects(parts);
      const calls = pieces.map(({ functionCall }) => functionCall);
      const results = pieces.map(({ functionResponse }) => functionResponse);
      return {
        isModel: role === 'model',
        calls: idsOf(calls, 'id'),
        results: idsOf(results, 'id'),
        isEmpty: pieces.length === 0,
      };
    }),
};
/** Those that take two turns of one side. */
const loose = ['openai-chat', 'cohere-chat'];

describe('a conversation comes in an order that its upstream takes', () => {
  test.each(Object.entries(stepsOf))('%s', (name, read) => {
    const dialect = clientDialects.find((each) => each.name === name) ?? upstreamDialect(name);
    const functions = [{ kind: 'function', name: 'f', parameters: { type: 'object' } }] as const;
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 3 }), (turns) => {
        const messages = conversation(turns);
        const settings = { stop: [], choices: 1, stream: false, wantsUsage: true };
        const request: ChatRequest = { model: 'm', system: [], messages, tools: functions, ...settings };
        const steps = read(dialect?.encodeRequest(request, { model: 'm', defaultMaxTokens: 4096 }).body ?? {});
        const calls = turns.reduce((sum, { results }) => sum + results.length, 0);
        expect(steps.flatMap((step) => step.calls)).toHaveLength(calls);
        if (!loose.includes(name)) expect(steps[0]?.isModel).toBe(false);
        for (const [at, step] of steps.entries()) {
          const before = steps[at - 1];
          expect(isDeepStrictEqual([...(before?.calls ?? [])].sort(), [...step.results].sort())).toBe(true);
          expect(step.isEmpty ?? false).toBe(false);
          if (!loose.includes(name)) expect(before?.isModel === true && step.isModel).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});
