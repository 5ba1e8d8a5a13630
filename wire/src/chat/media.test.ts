import { expect, test } from 'vitest';
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
