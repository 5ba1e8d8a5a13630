import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import type { UpstreamDialect } from '../chat/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { editRequest, peekRequest } from './request.ts';

const at = { model: 'gemini-2.5-flash', stream: true };
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const peek = (body: object, hints = at) => peekRequest(Buffer.from(JSON.stringify(body)), hints);

function peeked(text: string) {
  const body = Buffer.from(text);
  const result = peekRequest(body, at);
  if (!result.ok) throw new Error(result.reason);
  return { body, peek: result.peek };
}

describe('peekRequest', () => {
  test('model and streaming come from the path, limits from either spelling', () => {
    for (const body of [
      { contents, generationConfig: { maxOutputTokens: 9, candidateCount: 2 } },
      { contents, generation_config: { max_output_tokens: 9, candidate_count: 2 } },
    ]) {
      expect(peek(body)).toMatchObject({ ok: true, peek: { ...at, wantsUsage: true, cap: 9, n: 2 } });
    }
    expect(peek({ contents }, { model: 'models/a', stream: false })).toMatchObject({
      ok: true,
      peek: { model: 'a', stream: false, cap: undefined, n: 1 },
    });
  });

  test.each([
    [{}, 'contents is required'],
    [{ contents: [] }, 'contents is required'],
    [{ contents: 'hi' }, 'contents is required'],
    [{ contents, generationConfig: [] }, 'generationConfig is invalid'],
    [{ contents, generationConfig: {}, generation_config: {} }, 'generationConfig is invalid'],
    [{ contents, generationConfig: { maxOutputTokens: '5' } }, 'maxOutputTokens is invalid'],
    [{ contents, generationConfig: { maxOutputTokens: -1 } }, 'maxOutputTokens is invalid'],
    [{ contents, generationConfig: { maxOutputTokens: 5, max_output_tokens: 500 } }, 'maxOutputTokens is invalid'],
    [{ contents, generationConfig: { candidateCount: 1.5 } }, 'candidateCount is invalid'],
    [{ contents, generationConfig: { candidateCount: 129 } }, 'candidateCount is invalid'],
    [{ contents, generationConfig: { CandidateCount: 8 } }, 'candidateCount is invalid'],
    [{ contents, generation_config: { Max_Output_Tokens: 8 } }, 'maxOutputTokens is invalid'],
  ])('refuses %j', (body, reason) => {
    expect(peek(body)).toEqual({ ok: false, code: 'invalid_text_request', reason });
  });

  test('a path without a usable model is refused', () => {
    expect(peek({ contents }, { model: '', stream: false })).toMatchObject({ reason: 'model is required' });
    expect(peek({ contents }, { model: 'a b', stream: false })).toMatchObject({ reason: 'model is invalid' });
  });
});

describe('editRequest', () => {
  test('lowers the cap where it stands, and adds it where there is none', () => {
    const edit = (text: string) => {
      const { body, peek: found } = peeked(text);
      return editRequest(body, found, { cap: 100 }).toString();
    };
    expect(edit('{"contents":[1], "generation_config":{"max_output_tokens": 500,"topK":1}}')).toBe(
      '{"contents":[1], "generation_config":{"max_output_tokens": 100,"topK":1}}',
    );
    expect(edit('{"contents":[1],"generationConfig":{"topK":1}}')).toBe(
      '{"contents":[1],"generationConfig":{"topK":1,"maxOutputTokens":100}}',
    );
    expect(edit('{"contents":[1],"generation_config":null}')).toBe(
      '{"contents":[1],"generation_config":{"maxOutputTokens":100}}',
    );
    expect(edit('{"contents":[1]}')).toBe('{"contents":[1],"generationConfig":{"maxOutputTokens":100}}');
    expect(edit('{"contents":[1],"generationConfig":{"maxOutputTokens":50}}')).toBe(
      '{"contents":[1],"generationConfig":{"maxOutputTokens":50}}',
    );
  });

  test('a body that names another model than the path loses that name; routing fields go', () => {
    const named = peeked('{"model":"models/gemini-2.5-flash","contents":[1]}');
    expect(editRequest(named.body, named.peek, {})).toBe(named.body);
    expect(editRequest(named.body, named.peek, { model: 'other' }).toString()).toBe('{"contents":[1]}');
    const steering = peeked('{"contents":[1],"base_url":"http://x","model":"dearer"}');
    expect(editRequest(steering.body, steering.peek, {}).toString()).toBe('{"contents":[1]}');
  });
});

test('what stands beside a part does not hide the part from other dialects', () => {
  const inlineData = { mimeType: 'image/png', data: 'aGk=' };
  const pdf = { mimeType: 'application/pdf', data: 'aGk=' };
  const mediaResolution = { level: 'MEDIA_RESOLUTION_HIGH' };
  const said = [
    { text: 'hi', partMetadata: { from: 'app' } },
    { inlineData, media_resolution: mediaResolution },
    { inlineData: pdf, mediaResolution },
    { text: 'there', newMember: {} },
    { text: 'hm', thought: true, newMember: {} },
  ];
  const decoded = decodeRequest({ contents: [{ role: 'user', parts: said }] }, { model: 'm' });
  if (!decoded.ok) throw new Error(decoded.reason);
  expect(decoded.request.messages[0]?.parts).toEqual([
    { kind: 'text', text: 'hi' },
    { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'aGk=' }, detail: 'high' },
    {
      kind: 'file',
      source: { at: 'inline', mediaType: 'application/pdf', base64: 'aGk=' },
      extra: { dialect: 'gemini-generate', fields: { mediaResolution } },
    },
    { kind: 'foreign', dialect: 'gemini-generate', name: 'text', raw: said[3], text: 'there' },
    { kind: 'foreign', dialect: 'gemini-generate', name: 'text', raw: said[4] },
  ]);
  const { body, losses } = encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 1 });
  const parts = [{ text: 'hi' }, { inlineData, mediaResolution }, said[2], said[3], said[4]];
  expect(body.contents).toEqual([{ role: 'user', parts }]);
  expect(losses).toEqual([]);
});

describe('media in instructions', () => {
  const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
  const parts = [{ text: 'Our logo:' }, image, { text: 'Praise it.' }];
  const told = (to: Pick<UpstreamDialect, 'encodeRequest'>, systemInstruction: object) => {
    const decoded = decodeRequest({ systemInstruction, contents }, { model: 'm' });
    if (!decoded.ok) throw new Error(decoded.reason);
    return to.encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 1 });
  };
  const url = 'data:image/png;base64,iVBORw0KGgo=';

  test('go back to this dialect as they came', () => {
    expect(told({ encodeRequest }, { parts })).toEqual({ body: { systemInstruction: { parts }, contents }, losses: [] });
    expect(told({ encodeRequest }, { parts: [image] }).body.systemInstruction).toEqual({ parts: [image] });
  });

  test('are instructions where those may hold them', () => {
    const { body, losses } = told(openaiResponses, { parts });
    expect(body.input).toMatchObject([
      { role: 'developer', content: [{ text: 'Our logo:' }, { image_url: url }, { text: 'Praise it.' }] },
      { role: 'user', content: 'hi' },
    ]);
    expect(losses).toEqual([]);
  });

  test('are shown by the user where instructions are text', () => {
    const chat = told(openaiChat, { parts });
    expect(chat.body.messages).toMatchObject([
      { role: 'system', content: [{ text: 'Our logo:' }, { text: 'Praise it.' }] },
      { role: 'user', content: [{ image_url: { url } }] },
      { role: 'user', content: 'hi' },
    ]);
    const messages = told(anthropicMessages, { parts });
    expect(messages.body).toMatchObject({
      system: 'Our logo:\nPraise it.',
      messages: [{ role: 'user', content: [{ type: 'image' }, { text: 'hi' }] }],
    });
    expect([...chat.losses, ...messages.losses]).toEqual([]);
  });

  test('of another dialect are shown by the user here', () => {
    const content = [
      { type: 'input_text', text: 'Our logo:' },
      { type: 'input_image', image_url: url },
    ];
    const asked = {
      model: 'm',
      input: [
        { role: 'user', content: 'hi' },
        { role: 'developer', content },
      ],
    };
    const decoded = openaiResponses.decodeRequest(asked);
    if (!decoded.ok) throw new Error(decoded.reason);
    const { body, losses } = encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 1 });
    const user = (...said: object[]) => ({ role: 'user', parts: said });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Our logo:' }] },
      contents: [user({ text: 'hi' }), user(image)],
    });
    expect(losses).toEqual([]);
  });
});

describe('what came in this dialect goes back as it was', () => {
  const picture = { mimeType: 'image/png', data: 'aGk=', displayName: 'cat.png' };
  const again = (...parts: object[]) => {
    const decoded = decodeRequest({ contents: [{ role: 'user', parts }] }, { model: 'm' });
    if (!decoded.ok) throw new Error(decoded.reason);
    const spell = (to: Pick<UpstreamDialect, 'encodeRequest'>) =>
      to.encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 1 });
    const { body, losses } = spell({ encodeRequest });
    expect(losses).toEqual([]);
    expect(body.contents).toEqual([{ role: 'user', parts }]);
    return { elsewhere: [openaiChat, openaiResponses, anthropicMessages].map((to) => spell(to).losses) };
  };

  test('names of media', () => {
    const { elsewhere } = again(
      { inlineData: picture },
      { inlineData: { mimeType: 'application/pdf', data: 'aGk=', displayName: 'a.pdf' } },
      { inlineData: { mimeType: 'audio/wav', data: 'aGk=', displayName: 'a.wav' } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://x.test/a.png', displayName: 'a.png' } },
    );
    expect(elsewhere).toEqual([[], [], ['audio']]);
  });

  test('a result that refers to what it shows', () => {
    const response = { cat: { $ref: 'cat.png' } };
    const { elsewhere } = again({ functionResponse: { name: 'f', response, parts: [{ inlineData: picture }] } });
    expect(elsewhere).toEqual([[], [], []]);
    again({ functionResponse: { name: 'f', response: { output: 'done' } } });
  });

  test('a result that shows what no other dialect’s may, which is declared there', () => {
    const sound = { inlineData: { mimeType: 'audio/wav', data: 'aGk=' } };
    const { elsewhere } = again({ functionResponse: { name: 'f', response: {}, parts: [sound, { inlineData: picture }] } });
    expect(elsewhere).toEqual([['parts'], ['parts'], ['parts']]);
  });
});

test('a kind of answer and a form of results that only this dialect knows are declared elsewhere', () => {
  const generationConfig = { responseModalities: ['TEXT', 'VIDEO'] };
  const tools = [{ functionDeclarations: [{ name: 'f', response: { type: 'STRING' } }] }];
  const decoded = decodeRequest({ contents, generationConfig, tools }, { model: 'm' });
  if (!decoded.ok) throw new Error(decoded.reason);
  const to = { model: 'm', defaultMaxTokens: 1 };
  expect(encodeRequest(decoded.request, to)).toEqual({ body: { contents, generationConfig, tools }, losses: [] });
  const lost = ['generationConfig.responseModalities', 'response'];
  expect(openaiChat.encodeRequest(decoded.request, to).losses).toEqual(lost);
});

test('settings that set nothing are no loss', () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
  const empty = { contents, safetySettings: [], cachedContent: '', generationConfig: { speechConfig: null, stopSequences: [] } };
  const decoded = decodeRequest(empty, { model: 'm' });
  expect(decoded.ok && openaiChat.encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 9 }).losses).toEqual([]);
});

test('names of other dialects’ files are not told: the API that goes by key refuses them', () => {
  const file = { kind: 'file', source: { at: 'inline', mediaType: 'application/pdf', base64: 'aGk=' }, name: 'a.pdf' } as const;
  const decoded = decodeRequest({ contents }, { model: 'm' });
  if (!decoded.ok) throw new Error(decoded.reason);
  const request = { ...decoded.request, extra: undefined, messages: [{ role: 'user', parts: [file] } as const] };
  expect(encodeRequest(request, { model: 'm', defaultMaxTokens: 1 }).body.contents).toEqual([
    { role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data: 'aGk=' } }] },
  ]);
});
