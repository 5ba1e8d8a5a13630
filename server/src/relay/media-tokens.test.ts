import type { JsonObject } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import { pictureSize } from './picture-size.ts';
import { promptSizeOfBody } from './prompt-size.ts';

const urlOf = (bytes: Buffer) => `data:image/any;base64,${bytes.toString('base64')}`;
const png = (width: number, height: number) => {
  const bytes = Buffer.alloc(64);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};
const jpeg = (width: number, height: number) => {
  const start = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0x10, 0x02]), Buffer.alloc(0x1000)]);
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, 0, 0, 0, 0, 3, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([start, frame]);
};
const webp = (kind: string, bytes: readonly number[], at: number) => {
  const file = Buffer.alloc(40);
  file.write('RIFF\0\0\0\0WEBP', 'latin1');
  file.write(kind, 12, 'latin1');
  Buffer.from(bytes).copy(file, at);
  return file;
};

describe('the size of a picture', () => {
  test.each([
    ['PNG', png(2048, 1536), 2048, 1536],
    ['JPEG behind the notes of a camera', jpeg(800, 600), 800, 600],
    ['GIF', Buffer.from('GIF89a\x20\x03\x58\x02\0\0', 'latin1'), 800, 600],
    ['WebP', webp('VP8X', [0x1f, 0x03, 0, 0x57, 0x02, 0], 24), 800, 600],
    ['WebP, lossy', webp('VP8 ', [0x20, 0x03, 0x58, 0x02], 26), 800, 600],
    ['WebP, lossless', webp('VP8L', [0x2f, 0x1f, 0xc3, 0x95, 0], 20), 800, 600],
  ])('is read from its first bytes: %s', (_, bytes, width, height) => {
    expect(pictureSize(urlOf(bytes))).toEqual({ width, height });
  });

  test.each([
    '',
    'no base64 ~~',
    urlOf(Buffer.from('\xff\xd8\xff', 'latin1')),
    urlOf(png(0, 0)),
    urlOf(png(9, 9).subarray(0, 20)),
  ])('of anything else is unknown: %s', (text) => {
    expect(pictureSize(text)).toBeUndefined();
  });
});

const frame = 6;
const tokensOf = (part: JsonObject, model: string) =>
  promptSizeOfBody({ messages: [{ role: 'user', content: [part] }] }, model).tokens - frame;
const pictureOf = (url: string, detail?: string) => ({ type: 'image_url', image_url: { url, detail } });

describe('media count by the contract’s table (6.8)', () => {
  test.each([
    ['a small picture', pictureOf(urlOf(png(300, 300))), 'gpt-4o', 85 + 170],
    ['one of two tiles', pictureOf(urlOf(png(1024, 512))), 'gpt-4o', 85 + 2 * 170],
    ['a large one, which is made smaller', pictureOf(urlOf(png(2048, 2048))), 'gpt-4o', 85 + 4 * 170],
    ['the same for the small model', pictureOf(urlOf(png(2048, 2048))), 'gpt-4o-mini', 25_501],
    ['one of a model with a fixed size', pictureOf(urlOf(png(2048, 2048))), 'glm-4v-plus', 1_047],
    ['a coarse look', pictureOf(urlOf(png(2048, 2048)), 'low'), 'gpt-4o', 85],
    ['an endless strip', pictureOf(urlOf(png(4_000_000_000, 1))), 'gpt-4o', 85 + 4 * 170],
    ['one that lies elsewhere', pictureOf('https://pictures.example/a.png'), 'gpt-4o', 255],
    ['sound', { type: 'input_audio', input_audio: { data: '', format: 'wav' } }, 'gpt-4o', 100],
    ['a file', { type: 'file', file: { file_data: '' } }, 'gpt-4o', 5_000],
    ['a file of a response', { type: 'input_file', file_url: 'https://files.example/a.pdf' }, 'gpt-4o', 5_000],
    ['a picture of a response', { type: 'input_image', image_url: urlOf(png(300, 300)), detail: 'low' }, 'gpt-4o', 85],
    ['a picture block', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } }, 'claude', 1_000],
    ['a document block', { type: 'document', source: { type: 'base64', data: '' } }, 'claude', 5_000],
    ['inline sound', { inlineData: { mimeType: 'audio/wav', data: '' } }, 'gemini', 100],
    ['an inline picture', { inline_data: { mime_type: 'image/png', data: '' } }, 'gemini', 255],
    ['a document at an address', { fileData: { mimeType: 'application/pdf', fileUri: '' } }, 'gemini', 5_000],
    ['the same in snake case', { file_data: { mime_type: 'application/pdf', file_uri: '' } }, 'gemini', 5_000],
  ])('%s', (_, part, model, tokens) => {
    expect(tokensOf(part, model)).toBe(tokens);
  });
});
