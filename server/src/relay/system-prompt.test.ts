import { describe, expect, test } from 'vitest';
import { type Asking, ask, sent } from '../../test/record-kit.ts';
import { readChannelSetting } from '../routing/channel-setting.ts';

const channel = (isInstead: boolean) => ({
  setting: readChannelSetting({ system_prompt: 'Be "brief".', system_prompt_override: isInstead }),
});
/** The body as text, so that bytes around an edit can be seen. */
const textOf = async (asking: Asking, isInstead = false) =>
  (await ask({ ...asking, channel: channel(isInstead) })).body.toString();

const user = '{ "role":"user","content":"1.50 \\u00fc, \\"[}\\\\ " }';

describe('in the caller’s own dialect, around bytes that stay', () => {
  const chat = (messages: string) => ({ type: 1, body: `{"temperature":1.0, "model":"m","messages": [${messages}] }` });

  test('openai-chat: a message in front', async () => {
    expect(await textOf(chat(user))).toBe(
      `{"temperature":1.0, "model":"m","messages": [{"role":"system","content":"Be \\"brief\\"."},${user}] }`,
    );
  });

  test('openai-chat: what the caller instructs first becomes one message with it', async () => {
    for (const role of ['system', 'developer']) {
      const own = `{"role":"${role}","name":"n","content":"own"}`;
      expect(await textOf(chat(`${own}, ${user}`))).toContain(
        `"messages": [{"role":"${role}","name":"n","content":"Be \\"brief\\".\\n\\nown"},${user}]`,
      );
    }
    const parts = '{"role":"system","content":[{"type":"text","text":"own"}]}';
    expect(await textOf(chat(`${parts},${user}`))).toContain(
      `[{"role":"system","content":[{"type":"text","text":"Be \\"brief\\"."},{"type":"text","text":"own"}]},${user}]`,
    );
  });

  test('openai-chat: instead of all that the caller instructs', async () => {
    const own = '{"role":"system","content":"own"}';
    const late = '{"role":"developer","content":"late"}';
    expect(await textOf(chat(`${own},${user},${late}`), true)).toContain(
      `"messages": [{"role":"system","content":"Be \\"brief\\"."},${user}]`,
    );
  });

  test('anthropic-messages: a text, blocks, none, and instead', async () => {
    const messages = (system: string) => ({
      type: 14,
      protocol: 'anthropic-messages',
      body: `{"model":"m",${system}"max_tokens":9,"messages":[${user}]}`,
    });
    expect(await textOf(messages('"system":"own",'))).toBe(
      `{"model":"m","system":"Be \\"brief\\".\\n\\nown","max_tokens":9,"messages":[${user}]}`,
    );
    const block = '{"type":"text","text":"own","cache_control":{"type":"ephemeral"}}';
    expect(await textOf(messages(`"system":[${block}],`))).toContain(
      `"system":[{"type":"text","text":"Be \\"brief\\"."},${block}],`,
    );
    expect(JSON.parse(await textOf(messages('')))).toMatchObject({ system: 'Be "brief".' });
    expect(await textOf(messages(`"system":[${block}],`), true)).toContain('"system":"Be \\"brief\\".",');
  });

  test('gemini-generate: either spelling, and instead', async () => {
    const generate = (system: string) => ({
      type: 24,
      protocol: 'gemini-generate',
      path: { model: 'gemini-2.5-flash' },
      body: `{${system}"contents":[{"parts":[{"text":"hi"}]}]}`,
    });
    const own = '{"role":"system","parts":[{"text":"own"}]}';
    for (const name of ['systemInstruction', 'system_instruction']) {
      expect(await textOf(generate(`"${name}":${own},`))).toBe(
        `{"${name}":{"role":"system","parts":[{"text":"Be \\"brief\\"."},{"text":"own"}]},"contents":[{"parts":[{"text":"hi"}]}]}`,
      );
    }
    expect(JSON.parse(await textOf(generate('')))).toMatchObject({ systemInstruction: { parts: [{ text: 'Be "brief".' }] } });
    expect(JSON.parse(await textOf(generate(`"systemInstruction":${own},`), true))).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be "brief".' }] },
    });
  });

  test('openai-responses: instructions, and instead of those within the input', async () => {
    const late = '{"role":"developer","content":"late"}';
    const responses = {
      type: 1,
      protocol: 'openai-responses',
      body: `{"model":"m","instructions":"own","input":[${late},${user}]}`,
    };
    expect(await textOf(responses)).toBe(`{"model":"m","instructions":"Be \\"brief\\".\\n\\nown","input":[${late},${user}]}`);
    expect(await textOf(responses, true)).toBe(`{"model":"m","instructions":"Be \\"brief\\".","input":[${user}]}`);
    expect(JSON.parse(await textOf({ ...responses, body: '{"model":"m","input":"hi"}' }))).toEqual({
      ...{ model: 'm', input: 'hi', instructions: 'Be "brief".' },
    });
  });

  test('a text to be gone on with stays as it is', async () => {
    const body = '{"model":"m","prompt":"Once"}';
    expect(await textOf({ type: 1, protocol: 'openai-completions', body })).toBe(body);
  });

  test('param_override has the last word', async () => {
    const outgoing = await ask({
      type: 14,
      protocol: 'anthropic-messages',
      body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
      channel: { ...channel(false), paramOverride: { system: 'mine' } },
    });
    expect(sent(outgoing).system).toBe('mine');
  });
});

describe('in another dialect', () => {
  const body = {
    model: 'm',
    messages: [
      { role: 'system', content: 'own' },
      { role: 'user', content: 'hi' },
    ],
  };

  test('it stands before the caller’s, or instead of them', async () => {
    expect(sent(await ask({ type: 14, body, channel: channel(false) })).system).toBe('Be "brief".\nown');
    expect(JSON.stringify(sent(await ask({ type: 14, body, channel: channel(true) })))).not.toContain('own');
  });

  test('an answer that repeats its request does not repeat what the operator says', async () => {
    const request = { model: 'm', instructions: 'own', input: 'hi' };
    const outgoing = await ask({ type: 14, protocol: 'openai-responses', body: request, channel: channel(false) });
    const answer = { id: 'a', role: 'assistant', content: [{ type: 'text', text: 'yes' }], stop_reason: 'end_turn', usage: {} };
    const reading = outgoing.answer.read(Buffer.from(JSON.stringify(answer)));
    if (reading.kind !== 'answer') throw new Error('no answer');
    expect(JSON.parse(reading.body?.toString() ?? '')).toMatchObject({ instructions: 'own' });
  });
});
