import { describe, expect, test } from 'vitest';
import { decodeRequest } from './decode-request.ts';
import { editRequest, peekRequest, previousResponseId, responseId } from './request.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const base = { model: 'gpt-5.1', input: 'Hi.' };

function peeked(body: Buffer) {
  const result = peekRequest(body);
  if (!result.ok) throw new Error(result.reason);
  return result.peek;
}

describe('a request is peeked at', () => {
  test('its model, stream flag and cap are read; usage is always told', () => {
    const { scan: _scan, ...peek } = peeked(bytes({ ...base, stream: true, max_output_tokens: 77 }));
    expect(peek).toEqual({ model: 'gpt-5.1', stream: true, wantsUsage: true, cap: 77, n: 1 });
  });

  test.each([
    ['model is required', { input: 'x' }],
    ['model is required', { ...base, model: 5 }],
    ['model is invalid', { ...base, model: 'a b' }],
    ['field input is required', { model: 'm' }],
    ['field input is required', { ...base, input: '' }],
    ['field input is required', { ...base, input: [] }],
    ['field input is required', { ...base, input: { role: 'user' } }],
    ['field input is required', { ...base, input: [], previous_response_id: '' }],
    ['field input is required', { ...base, input: 5, previous_response_id: 'resp_1' }],
    ['max_output_tokens is invalid', { ...base, max_output_tokens: -1 }],
    ['max_output_tokens is invalid', { ...base, max_output_tokens: '5' }],
    ['stream is invalid', { ...base, stream: 1 }],
    ['background is not supported', { ...base, background: true }],
    ['background is not supported', { ...base, background: true, stream: true }],
    ['background is invalid', { ...base, background: 'true' }],
  ])('%s', (reason, body) => {
    expect(peekRequest(bytes(body))).toEqual({ ok: false, code: 'invalid_text_request', reason });
  });

  test('a body that is no JSON object, or has a key twice, is refused as such', () => {
    for (const body of ['[1]', '{"model":"m"', '{"model":"m","input":"a","input":"b"}']) {
      expect(peekRequest(bytes(body))).toMatchObject({ ok: false, code: 'invalid_request' });
    }
  });

  test.each([
    { prompt: { id: 'pmpt_1' }, input: [] },
    { previous_response_id: 'resp_1' },
    { previous_response_id: 'resp_1', input: [] },
    { conversation: 'conv_1', input: null },
    { conversation: { id: 'conv_1' }, input: '' },
  ])('what is kept may hold the input already: %j', (kept) => {
    expect(peekRequest(bytes({ model: 'm', ...kept }))).toMatchObject({ ok: true });
    expect(decodeRequest({ model: 'm', ...kept })).toMatchObject({ ok: true });
  });

  test('what an agent tells its vendor of itself is nothing that another dialect could lose', () => {
    const passed = { internal_chat_message_metadata_passthrough: { turn: 'a' } };
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi.' }], ...passed }];
    const client_metadata = { 'x-codex-installation-id': 'i' };
    expect(decodeRequest({ model: 'm', input, store: false, client_metadata })).toMatchObject({
      request: {
        messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi.' }] }],
        extra: { fields: {}, hints: { store: false, client_metadata } },
      },
    });
  });

  test('a stored prompt brings its own input, and who says that nothing goes on behind is heard', () => {
    expect(peeked(bytes({ model: 'm', prompt: { id: 'pmpt_1' } })).model).toBe('m');
    for (const background of [false, null]) expect(peeked(bytes({ ...base, background })).stream).toBe(false);
  });
});

describe('a request is edited', () => {
  const edited = (body: unknown, edits: Parameters<typeof editRequest>[2]) => {
    const raw = bytes(body);
    return JSON.parse(editRequest(raw, peeked(raw), edits).toString());
  };

  test('a cap is set or lowered, never raised', () => {
    expect(edited(base, { cap: 50 })).toEqual({ ...base, max_output_tokens: 50 });
    expect(edited({ ...base, max_output_tokens: 90 }, { cap: 50 }).max_output_tokens).toBe(50);
    expect(edited({ ...base, max_output_tokens: 20 }, { cap: 50 }).max_output_tokens).toBe(20);
  });

  test('asking for usage changes nothing, fields that steer gateways go, overrides win', () => {
    const body = bytes(base);
    expect(editRequest(body, peeked(body), { includeUsage: true })).toBe(body);
    const more = new Map([['max_output_tokens', '7']]);
    expect(edited({ ...base, api_key: 'k' }, { cap: 50, more })).toEqual({ ...base, max_output_tokens: 7 });
  });
});

test('the answer that a request continues is found, and the id of an answer in its first bytes', () => {
  const body = bytes({ ...base, previous_response_id: 'resp_1' });
  expect(previousResponseId(body, peeked(body).scan)).toBe('resp_1');
  expect(previousResponseId(bytes(base), peeked(bytes(base)).scan)).toBeUndefined();
  expect(responseId(bytes('{"id": "resp_abc","object":"response"'))).toBe('resp_abc');
  expect(responseId(bytes('event: response.created\ndata: {"type":"response.created","response":{"id":"resp_d"'))).toBe('resp_d');
  expect(responseId(bytes('{"id":"chatcmpl-1"}'))).toBeUndefined();
  const later = '{"object":"response","prompt":{"id":"pmpt_1"},"id":"resp_e","output":[{"id":"msg_1"}]}';
  expect(responseId(bytes(later))).toBe('resp_e');
  expect(responseId(bytes('{"output":[{"id":"msg_1"}]}'))).toBeUndefined();
});

test('an answer whose vendor marks no ids, and names other things first, is known too', () => {
  const response = '{"created_at":1762189566,"id":"25de2f84-163c-6e9e-e42e-cd1dbd6f9ed0","output":[{"id":"msg_1"}]}';
  const id = '25de2f84-163c-6e9e-e42e-cd1dbd6f9ed0';
  expect(responseId(bytes(response))).toBe(id);
  expect(responseId(bytes(`data: {"sequence_number":0,"type":"response.created","response":${response}}\n\n`))).toBe(id);
  const item = '{"type":"response.output_item.added","item":{"id":"msg_1","type":"message"}}';
  expect(responseId(bytes(`data: ${item}\n\n`))).toBeUndefined();
});
