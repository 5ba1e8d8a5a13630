import { toFile } from 'openai';
import { expect } from 'vitest';
import { picture } from '../../support/mock/vendors/facts.ts';
import { sound, spokenText } from '../../support/mock/vendors/families/media.ts';
import { openaiOf } from '../clients.ts';
import { pngBase64, wav } from '../rows/samples.ts';
import type { FamilyRow } from './row.ts';

const sdk = 'openai';
const png = () => toFile(Buffer.from(pngBase64, 'base64'), 'a.png', { type: 'image/png' });
const recording = () => toFile(wav(8_000), 'a.wav', { type: 'audio/wav' });

export const mediaRows: readonly FamilyRow[] = [
  {
    sdk,
    feature: 'images.generate',
    upstream: 'openai',
    async run(world) {
      const answer = await openaiOf(world).images.generate({
        model: 'gpt-image-2',
        prompt: 'a cat',
        n: 2,
        size: '1024x1024',
        quality: 'high',
      });
      expect(answer.data?.map(({ b64_json: data }) => data)).toEqual([picture, picture]);
      expect(answer.usage).toMatchObject({ input_tokens: 10, output_tokens: 200 });
      expect(world.mock.requests()[0]?.json).toEqual({
        model: 'gpt-image-2',
        prompt: 'a cat',
        n: 2,
        size: '1024x1024',
        quality: 'high',
      });
    },
  },
  {
    sdk,
    feature: 'images.generate, streamed',
    upstream: 'openai',
    async run(world) {
      const stream = await openaiOf(world).images.generate({
        model: 'gpt-image-2',
        prompt: 'a cat',
        stream: true,
        partial_images: 1,
      });
      const types: string[] = [];
      for await (const { type } of stream) types.push(type);
      expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
    },
  },
  {
    sdk,
    feature: 'images.generate',
    upstream: 'gemini',
    async run(world) {
      const answer = await openaiOf(world).images.generate({
        model: 'gemini-3.1-flash-image',
        prompt: 'a cat',
        size: '1024x1792',
      });
      expect(answer.data?.map(({ b64_json: data }) => data)).toEqual([picture]);
      expect(world.mock.requests()[0]).toMatchObject({
        path: expect.stringContaining('/models/gemini-3.1-flash-image:generateContent'),
        json: { contents: [{ parts: [{ text: 'a cat' }] }], generationConfig: { imageConfig: { aspectRatio: '9:16' } } },
      });
    },
  },
  {
    sdk,
    feature: 'images.edit',
    upstream: 'openai',
    async run(world) {
      const answer = await openaiOf(world).images.edit({
        model: 'gpt-image-2',
        image: [await png(), await png()],
        prompt: 'a hat',
      });
      expect(answer.data).toMatchObject([{ b64_json: picture }]);
      const body = world.mock.requests()[0]?.body ?? Buffer.alloc(0);
      expect(body.includes(Buffer.from(pngBase64, 'base64'))).toBe(true);
    },
  },
  {
    sdk,
    feature: 'images.createVariation',
    upstream: 'openai',
    charge: 'some',
    async run(world) {
      const image = await png();
      const answer = await openaiOf(world).images.createVariation({
        model: 'dall-e-2',
        image,
        n: 2,
        response_format: 'b64_json',
      });
      expect(answer.data?.map(({ b64_json: data }) => data)).toEqual([picture, picture]);
      expect(world.mock.requests()[0]?.body.includes(Buffer.from(pngBase64, 'base64'))).toBe(true);
    },
  },
  {
    sdk,
    feature: 'audio.speech',
    upstream: 'openai',
    charge: 'some',
    async run(world) {
      const answer = await openaiOf(world).audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'say this' });
      expect(answer.headers.get('content-type')).toBe('audio/mpeg');
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(sound);
    },
  },
  {
    sdk,
    feature: 'audio.speech, as events',
    upstream: 'openai',
    async run(world) {
      const answer = await openaiOf(world).audio.speech.create({
        model: 'gpt-4o-mini-tts',
        voice: 'alloy',
        input: 'say this',
        stream_format: 'sse',
      });
      expect(await answer.text()).toContain('"type":"speech.audio.done"');
    },
  },
  ...(['whisper-1', 'gpt-4o-transcribe'] as const).map(
    (model): FamilyRow => ({
      sdk,
      feature: `audio.transcriptions (${model})`,
      upstream: 'openai',
      // One is charged by the length of the sound, the other by what the upstream tells.
      charge: model === 'whisper-1' ? 'some' : 'told',
      async run(world) {
        const answer = await openaiOf(world).audio.transcriptions.create({ model, file: await recording(), language: 'en' });
        expect(answer.text).toBe(spokenText);
        expect(world.mock.requests()[0]?.body.includes(wav(8_000))).toBe(true);
      },
    }),
  ),
  {
    sdk,
    feature: 'audio.transcriptions, as text',
    upstream: 'openai',
    charge: 'some',
    async run(world) {
      const file = await recording();
      const answer = await openaiOf(world).audio.transcriptions.create({ model: 'whisper-1', file, response_format: 'text' });
      expect(String(answer)).toBe(`${spokenText}\n`);
    },
  },
  {
    sdk,
    feature: 'audio.transcriptions, streamed',
    upstream: 'openai',
    async run(world) {
      const stream = await openaiOf(world).audio.transcriptions.create({
        model: 'gpt-4o-transcribe',
        file: await recording(),
        stream: true,
      });
      const types: string[] = [];
      for await (const { type } of stream) types.push(type);
      expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
    },
  },
  {
    sdk,
    feature: 'audio.translations',
    upstream: 'openai',
    charge: 'some',
    async run(world) {
      const answer = await openaiOf(world).audio.translations.create({ model: 'whisper-1', file: await recording() });
      expect(answer.text).toBe(spokenText);
    },
  },
];
