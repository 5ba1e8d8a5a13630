import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assistant, call, plain, result, text, user } from '../test/messages-kit.ts';
import { answerContext, decodeRequest } from '../test/scenes.ts';
import { decodeAnswer } from './chat/read.ts';
import type { ChatResponse } from './chat/response.ts';
import { readArguments, readJson } from './exact-json.ts';
import { clientDialects } from './index.ts';

const id = '1234567890123456789';

describe('integers that a double cannot hold', () => {
  test('stay as they are in the arguments of a tool, and are numbers elsewhere', () => {
    const spoken = `{"name":"f","input":{"id":${id},"few":[1,-${id}]}}`;
    expect(JSON.stringify(readJson(spoken))).toBe(spoken);
    expect(JSON.stringify(readJson(`{"name":"f","parameters":{"maximum":${id}}}`))).toContain(String(Number(id)));
    expect(readJson(`{"seed":${id},"input":{"n":${id}}}`)).toEqual({ seed: Number(id), input: { n: Number(id) } });
    expect(readJson(id)).toBe(Number(id));
    expect(readArguments(id)).toBe(Number(id));
    expect(JSON.stringify(readArguments(`{"id":${id}}`))).toBe(`{"id":${id}}`);
  });

  test('nothing else is read otherwise than by JSON.parse', () => {
    const odd = fc.constantFrom(
      '0.12345678901234567',
      '1e21',
      '12345678901234567.5',
      '1234567890123456789e2',
      '-0',
      '9007199254740991',
    );
    const value = fc.oneof(
      fc.jsonValue().map((each) => JSON.stringify(each)),
      odd,
      fc.constant(JSON.stringify(`: ${id},`)),
    );
    const object = fc
      .array(fc.tuple(fc.constantFrom('name', 'input', 'args', '__proto__', 'a'), value))
      .map((members) => `{${members.map(([key, text]) => `${JSON.stringify(key)}: ${text}`).join(', ')}}`);
    fc.assert(
      fc.property(object, (text) => {
        expect(JSON.stringify(readJson(text))).toBe(JSON.stringify(JSON.parse(text)));
        expect(JSON.stringify(readArguments(text))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('a text that is no JSON is refused as ever', () => {
    expect(() => readJson(`{"a":${id}`)).toThrow(SyntaxError);
  });
});

/** One dialect knows no tools. */
const withTools = clientDialects.filter(({ name }) => name !== 'openai-completions');

describe.each(withTools.map((dialect) => [dialect.name, dialect] as const))('%s', (_name, dialect) => {
  const args = `{"id":${id},"n":1}`;
  const argumentsIn = (value: unknown): string => JSON.stringify(value).replaceAll('\\', '');

  test('a conversation keeps the digits of what a tool was called with', () => {
    const request = { ...plain, messages: [user(text('hi')), assistant(call('c1', 'f', args)), user(result('c1', 'ok'))] };
    const { body } = dialect.encodeRequest(request, { model: 'm', defaultMaxTokens: 10 });
    expect(argumentsIn(body)).toContain(`"id":${id}`);
    const again = decodeRequest(dialect, readJson(JSON.stringify(body)) as never, { model: 'm', stream: false });
    expect(argumentsIn(again)).toContain(`"id":${id}`);
  });

  test('an answer keeps them too', () => {
    const response: ChatResponse = {
      id: 'x',
      model: 'm',
      answers: [{ parts: [call('c1', 'f', args)], finish: { reason: 'tool-calls', raw: '' } }],
    };
    const { body } = dialect.encodeResponse(response, answerContext);
    expect(argumentsIn(body)).toContain(`"id":${id}`);
    const again = decodeAnswer(dialect, Buffer.from(JSON.stringify(body)));
    expect(argumentsIn(again)).toContain(`"id":${id}`);
  });
});
