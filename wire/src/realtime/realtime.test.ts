import { describe, expect, test } from 'vitest';
import {
  errorEvent,
  modelNamed,
  readClientEvent,
  readServerEvent,
  transcriberNamed,
  withModel,
  withTranscriber,
} from './index.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const client = (value: unknown) => readClientEvent(bytes(value));
const server = (value: unknown) => readServerEvent(bytes(value));

describe('a caller’s message', () => {
  test('of sound is measured, not read', () => {
    const audio = Buffer.alloc(4_800).toString('base64');
    expect(client({ type: 'input_audio_buffer.append', audio })).toEqual({ kind: 'heard', soundBytes: 4_800 });
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['without a type', '{"a":1}'],
    ['of two types', '{"type":"response.create","type":"session.update"}'],
    ['of two types that differ in case', '{"type":"response.create","Type":"session.update"}'],
    ['with a type that is no text', '{"type":1}'],
    ['with bytes behind it', '{"type":"a"} {}'],
  ])('%s is invalid', (_, text) => {
    expect(client(text)).toMatchObject({ kind: 'invalid', reason: expect.any(String) });
  });

  test.each([
    ['plain', '{"type":"session.update","session":{"model":"other"}}'],
    ['with an escaped type', String.raw`{"\u0074ype":"session\u002eupdate","session":{"model":"other"}}`],
    ['with an escaped key', String.raw`{"type":"session.update","session":{"mod\u0065l":"other"}}`],
    ['named twice', '{"type":"session.update","session":{"model":"mine","model":"other"}}'],
    ['of a relative', '{"type":"transcription_session.update","session":{"model":"other"}}'],
    ['of one answer', '{"type":"response.create","response":{"model":"other"}}'],
  ])('that names a model shows it: %s', (_, text) => {
    const event = client(text);
    expect(event.kind === 'spelled' && modelNamed(event.event)).toBe('other');
  });

  test('gets the upstream’s name of the model where it named one, and nowhere else', () => {
    const event = { type: 'session.update', session: { model: 'mine', voice: 'a' }, response: { voice: 'b' } };
    expect(withModel(event, 'theirs')).toEqual({
      type: 'session.update',
      session: { model: 'theirs', voice: 'a' },
      response: { voice: 'b' },
    });
  });

  test('gets the upstream’s name of the model that writes down, by the newer words and by the older', () => {
    const newer = (model: string) => ({
      session: { audio: { input: { transcription: { model, language: 'en' } }, output: {} } },
    });
    const older = (model: string) => ({ session: { input_audio_transcription: { model }, turn_detection: null } });
    for (const event of [newer, older]) {
      expect(transcriberNamed(event('mine'))).toBe('mine');
      expect(withTranscriber(event('mine'), 'theirs')).toEqual(event('theirs'));
    }
    for (const event of [{}, { session: null }, { session: { audio: { input: { transcription: null } } } }]) {
      expect(transcriberNamed(event)).toBeUndefined();
      expect(withTranscriber(event, 'theirs')).toEqual(event);
    }
  });
});

describe('an upstream’s message', () => {
  test('in the present and in the older spelling says how much was said', () => {
    const delta = Buffer.alloc(300).toString('base64');
    for (const type of ['response.audio.delta', 'response.output_audio.delta'])
      expect(server({ type, response_id: 'r', delta })).toEqual({ kind: 'said', responseId: 'r', textBytes: 0, soundBytes: 300 });
    for (const word of ['text', 'output_text', 'audio_transcript', 'output_audio_transcript', 'function_call_arguments'])
      expect(server({ type: `response.${word}.delta`, response_id: 'r', delta: 'abcd' })).toMatchObject({
        textBytes: 4,
        soundBytes: 0,
      });
  });

  test('ends a turn with its usage; cached sound counts as cached only', () => {
    const usage = {
      ...{ total_tokens: 170, input_tokens: 150, output_tokens: 20 },
      input_token_details: {
        text_tokens: 50,
        audio_tokens: 100,
        cached_tokens: 90,
        cached_tokens_details: { text_tokens: 10, audio_tokens: 80 },
      },
      output_token_details: { text_tokens: 5, audio_tokens: 15 },
    };
    const done = (response: object) => server({ type: 'response.done', response: { id: 'r', ...response } });
    expect(done({ usage })).toEqual({
      kind: 'done',
      responseId: 'r',
      isCounted: true,
      usage: {
        ...{ prompt: 150, completion: 20, cached: 90, cacheWrite: 0, reasoning: 0 },
        ...{ audioPrompt: 20, audioCompletion: 15, anomaly: false },
      },
    });
    expect(done({ usage: null })).toMatchObject({ isCounted: false, usage: undefined });
    expect(done({ usage: { total_tokens: 0, input_tokens: 0, output_tokens: 0 } })).toMatchObject({
      isCounted: true,
      usage: undefined,
    });
    expect(done({ usage: { input_tokens: -5, output_tokens: 1e12 } })).toMatchObject({
      usage: { prompt: 0, completion: 100_000_000, anomaly: true },
    });
  });

  test.each([
    [
      { audio: { input: { format: { type: 'audio/pcm', rate: 24_000 } }, output: { format: { type: 'audio/pcmu' } } } },
      48_000,
      8_000,
      true,
    ],
    [{ input_audio_format: 'g711_ulaw', output_audio_format: 'pcm16' }, 8_000, 48_000, true],
    [{ input_audio_format: 'pcm16', output_audio_format: 'opus' }, 48_000, 48_000, false],
    [{ audio: { input: { format: { type: 'audio/pcm' } } } }, 48_000, 48_000, true],
    [{}, 48_000, 48_000, false],
    [{ audio: { input: { format: { type: 'audio/pcm', rate: -1 } } } }, 48_000, 48_000, true],
  ])('tells how sound is coded: %j', (session, heard, spoken, isTold) => {
    const told = { kind: 'session', sound: { heard, spoken, isTold } };
    for (const kind of ['session', 'transcription_session']) {
      expect(server({ type: `${kind}.created`, session })).toEqual({ ...told, isNew: true });
      expect(server({ type: `${kind}.updated`, session })).toEqual({ ...told, isNew: false });
    }
  });

  test('tells who writes down what is said, and what that took, in tokens or in seconds', () => {
    const wanted = { model: 'gpt-4o-transcribe' };
    for (const session of [{ audio: { input: { transcription: wanted } } }, { input_audio_transcription: wanted }])
      expect(server({ type: 'session.updated', session })).toMatchObject({ kind: 'session', transcriber: 'gpt-4o-transcribe' });
    const done = (usage: unknown) =>
      server({
        type: 'conversation.item.input_audio_transcription.completed',
        ...{ item_id: 'item_1', content_index: 0, transcript: 'h\u00e9llo', usage },
      });
    const tokens = { type: 'tokens', total_tokens: 22, input_tokens: 13, output_tokens: 9 };
    expect(done({ ...tokens, input_token_details: { text_tokens: 0, audio_tokens: 13 } })).toMatchObject({
      ...{ kind: 'transcribed', itemId: 'item_1/0', seconds: undefined, textBytes: 6 },
      usage: { prompt: 13, completion: 9, audioPrompt: 13 },
    });
    expect(done({ type: 'duration', seconds: 2.5 })).toMatchObject({ usage: undefined, seconds: 2.5 });
    expect(done(undefined)).toMatchObject({ usage: undefined, seconds: undefined });
  });

  test.each(['error', 'conversation.item.input_audio_transcription.failed'])('%s tells why something failed', (type) => {
    expect(server({ type, error: { message: 'no' } })).toEqual({ kind: 'failed' });
  });

  test.each([
    '',
    '{',
    'null',
    '[1]',
    '{"type":5}',
    '{"type":"response.done"}',
    '{"type":"response.done","response":{"usage":[]}}',
  ])('of any shape does not throw: %s', (text) => {
    expect(() => readServerEvent(Buffer.from(text))).not.toThrow();
  });
});

test('an error is an event of its own', () => {
  const error = { message: 'no', type: 'new_api_error', param: '', code: 'x' };
  expect(JSON.parse(errorEvent(error, '7').toString())).toEqual({ type: 'error', event_id: 'evt_7', error });
});
