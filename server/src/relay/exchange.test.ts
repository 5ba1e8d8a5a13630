import { expect, test } from 'vitest';
import { jsonOf } from './exchange.ts';

const bytesOf = (text: string) => ({ bytes: Buffer.from(text) });

test('an answer is read without the credential that it echoes', () => {
  expect(jsonOf(bytesOf('{"id":"secret-of-channel"}'), 'secret-of-channel')).toEqual({ id: '***' });
  expect(jsonOf(bytesOf('["short"]'), 'short')).toEqual(['short']);
  expect(jsonOf(bytesOf('<html>'), 'secret-of-channel')).toBeUndefined();
});

test('an answer that nests without end is none, since what is kept of it is spelled again', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(jsonOf(bytesOf(`{"id":"video_1","data":${deep}}`), 'secret-of-channel')).toBeUndefined();
});
