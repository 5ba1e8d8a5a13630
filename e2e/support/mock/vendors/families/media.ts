import { type Dialect, jsonAnswer, type MockAnswer } from '../../dialect.ts';
import { chatError } from '../chat/answer.ts';
import { picture, type Told } from '../facts.ts';
import * as strict from '../strict.ts';
import { eventPieces, guarded, type StreamPiece, tell } from '../vendor.ts';
import { readForm, textsOf } from './multipart.ts';

/** What the mock says. */
export const sound = Buffer.from('ID3 a sound \u0000\u00ff');
export const spokenText = 'what was said';

function told(prompt: number, completion: number): Told {
  return { prompt, completion, cached: 0, write5m: 0, write1h: 0, reasoning: 0 };
}

function tokens({ prompt, completion }: Told) {
  return { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
}

function pictureUsage(usage: Told) {
  return {
    ...tokens(usage),
    input_tokens_details: { text_tokens: usage.prompt, image_tokens: 0 },
    output_tokens_details: { text_tokens: 0, image_tokens: usage.completion },
  };
}

function streamed(pieces: readonly StreamPiece[]): MockAnswer {
  return { status: 200, contentType: 'text/event-stream', pieces: eventPieces(pieces, {}), paced: true };
}

const pictureOptions =
  'model prompt n size quality background moderation output_compression output_format partial_images stream user response_format style input_fidelity';

export const generations: Dialect = guarded(chatError, (request) => {
  const body = strict.only(request.json, 'body', pictureOptions);
  strict.filled(body.prompt, 'prompt');
  const count = strict.whole(body.n, 'n', 1, 10) ?? 1;
  const usage = told(10, 100 * count);
  tell(request, usage);
  const shown = { size: '1024x1024', quality: 'high', background: 'opaque', output_format: 'png' };
  if (body.stream === true) {
    const at = { b64_json: picture, created_at: 1, ...shown };
    return streamed([
      { name: 'image_generation.partial_image', data: { type: 'image_generation.partial_image', partial_image_index: 0, ...at } },
      { name: 'image_generation.completed', data: { type: 'image_generation.completed', ...at, usage: pictureUsage(usage) } },
    ]);
  }
  const data = Array.from({ length: count }, () => ({ b64_json: picture }));
  return jsonAnswer(200, { created: 1, ...shown, data, usage: pictureUsage(usage) });
});

export const edits: Dialect = guarded(chatError, (request) => {
  const form = readForm(request.body, request.headers['content-type'] ?? '');
  const texts = textsOf(form, pictureOptions, 'image image[] mask');
  strict.filled(texts.prompt, 'prompt');
  if (!form.some(({ name, bytes }) => /^image/.test(name) && bytes.length > 0)) strict.refuse('image: field required');
  const usage = told(60, 100);
  tell(request, usage);
  return jsonAnswer(200, { created: 1, data: [{ b64_json: picture }], usage: pictureUsage(usage) });
});

export const variations: Dialect = guarded(chatError, (request) => {
  const form = readForm(request.body, request.headers['content-type'] ?? '');
  const texts = textsOf(form, 'model n response_format size user', 'image');
  if (!form.some(({ name, bytes }) => name === 'image' && bytes.length > 0)) strict.refuse('image: field required');
  const data = Array.from({ length: Number(texts.n ?? 1) }, () => ({ b64_json: picture }));
  return jsonAnswer(200, { created: 1, data });
});

export const speech: Dialect = guarded(chatError, (request) => {
  const body = strict.only(request.json, 'body', 'model input voice instructions response_format speed stream_format');
  strict.filled(body.input, 'input');
  strict.filled(body.voice, 'voice');
  if (body.stream_format !== 'sse') return { status: 200, contentType: 'audio/mpeg', pieces: [sound], paced: false };
  const usage = told(7, 30);
  tell(request, usage);
  return streamed([
    { data: { type: 'speech.audio.delta', audio: sound.toString('base64') } },
    { data: { type: 'speech.audio.done', usage: tokens(usage) } },
  ]);
});

export const transcriptions: Dialect = guarded(chatError, (request) => {
  const form = readForm(request.body, request.headers['content-type'] ?? '');
  const known = 'model language prompt response_format temperature timestamp_granularities[] stream include[] chunking_strategy';
  const texts = textsOf(form, known, 'file');
  if (!form.some(({ name, bytes }) => name === 'file' && bytes.length > 0)) strict.refuse('file: field required');
  if (texts.response_format === 'text')
    return { status: 200, contentType: 'text/plain', pieces: [Buffer.from(`${spokenText}\n`)], paced: false };
  if (texts.model === 'whisper-1') return jsonAnswer(200, { text: spokenText, usage: { type: 'duration', seconds: 1 } });
  const usage = told(14, 4);
  tell(request, usage);
  const figures = { type: 'tokens', ...tokens(usage), input_token_details: { text_tokens: 0, audio_tokens: 14 } };
  if (texts.stream !== 'true') return jsonAnswer(200, { text: spokenText, usage: figures });
  return streamed([
    { data: { type: 'transcript.text.delta', delta: spokenText } },
    { data: { type: 'transcript.text.done', text: spokenText, usage: figures } },
  ]);
});
