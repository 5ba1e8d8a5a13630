import { expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { mediaSource, mediaUrl } from './media.ts';

test.each([
  ['data:image/png;base64,QUJD', { at: 'inline', mediaType: 'image/png', base64: 'QUJD' }],
  ['DATA:Image/PNG;charset=x;BASE64,QUJD', { at: 'inline', mediaType: 'image/png', base64: 'QUJD' }],
  ['data:;base64,QUJD', { at: 'inline', mediaType: 'a/b', base64: 'QUJD' }],
  ['data:text/plain,A%20B', { at: 'inline', mediaType: 'text/plain', base64: 'QSBC' }],
  ['data:text/plain,%zz', { at: 'inline', mediaType: 'text/plain', base64: 'JXp6' }],
  ['data:nothing', { at: 'url', url: 'data:nothing' }],
  ['https://x.test/a,b', { at: 'url', url: 'https://x.test/a,b' }],
])('%s is read', (url, source) => {
  expect(mediaSource(url, 'a/b')).toEqual(source);
});

test('inline media have an address, media at an upstream have none', () => {
  expect(mediaUrl(mediaSource('data:image/png;base64,QUJD', ''))).toBe('data:image/png;base64,QUJD');
  expect(mediaUrl({ at: 'upstream', id: 'f' })).toBeUndefined();
});

test.each([
  ['Report v1.5', 'Report v1.5.pdf'],
  ['report.PDF', 'report.PDF'],
  [undefined, 'file.pdf'],
])('a document titled %j has a name that says its type, without which it is refused', (title, filename) => {
  const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  const content = [{ type: 'document', source, ...(title === undefined ? {} : { title }) }];
  const read = anthropicMessages.decodeRequest({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content }] });
  if (!read.ok) throw new Error(read.reason);
  const context = { model: 'm', defaultMaxTokens: 1 };
  expect(openaiChat.encodeRequest(read.request, context).body.messages).toMatchObject([{ content: [{ file: { filename } }] }]);
  expect(openaiResponses.encodeRequest(read.request, context).body.input).toMatchObject([{ content: [{ filename }] }]);
});
