import { expect, test } from 'vitest';
import { inUse } from '../../../wire/test/in-use.ts';
import { readJson } from './request.ts';

test('a body in pieces of a byte costs its bytes while it comes', async () => {
  const text = 'x'.repeat(300_000);
  const bytes = Buffer.from(JSON.stringify({ text }));
  const before = inUse();
  let at = 0;
  let kept = Number.NaN;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === bytes.length) {
        kept = inUse() - before;
        return controller.close();
      }
      controller.enqueue(Uint8Array.of(bytes[at] ?? 0));
      at += 1;
    },
  });
  const request = new Request('http://x/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  });
  expect(await readJson(request)).toEqual({ text });
  // As many pieces would be ten times as much.
  expect(kept).toBeLessThan(30 * bytes.length);
});
