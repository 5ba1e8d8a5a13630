import { expect, test } from 'vitest';
import { type Agreed, judgedMessage } from './realtime-caller.ts';

const options = { CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true, SensitiveWords: 'forbidden' };
const agreed = {
  call: { model: 'rt', snapshot: { options } },
  connected: { outgoing: { upstreamModel: undefined } },
  turns: { heard: () => undefined },
} as unknown as Agreed;
const judged = (event: object) => judgedMessage(agreed, Buffer.from(JSON.stringify(event)));

const said = (text: string) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];

test.each([
  ['an item', (text: string) => ({ type: 'conversation.item.create', item: said(text)[0] })],
  ['the instructions of a session', (instructions: string) => ({ type: 'session.update', session: { instructions } })],
  ['the tools of a session', (description: string) => ({ type: 'session.update', session: { tools: [{ description }] } })],
  ['the instructions of an answer', (instructions: string) => ({ type: 'response.create', response: { instructions } })],
  ['what an answer alone is asked', (text: string) => ({ type: 'response.create', response: { input: said(text) } })],
  ['a stored prompt', (city: string) => ({ type: 'response.create', response: { prompt: { variables: { city } } } })],
])('words that the operator forbids are found in %s', (_, event) => {
  expect(() => judged(event('a Forbidden word'))).toThrow('sensitive words detected');
  expect(JSON.parse(judged(event('a fine word')).toString())).toEqual(event('a fine word'));
});

test('events without words pass as they are', () => {
  for (const event of [{ type: 'response.create' }, { type: 'session.update', session: null }, { type: 'response.cancel' }])
    expect(judged(event).toString()).toBe(JSON.stringify(event));
});
