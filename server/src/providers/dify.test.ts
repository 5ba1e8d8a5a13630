import { expect, test } from 'vitest';
import { ask, sent, toolsAt } from '../../test/record-kit.ts';
import { SignFault, type SignTools } from './sign.ts';

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const bodyWith = (...content: object[]) => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, ...content] }],
});

/** What is posted beside the request, and how that is answered. */
function posting(answer: (count: number) => { status: number; text: string } | Promise<never>) {
  const posted: { url: string; body: string }[] = [];
  const tools: SignTools = {
    ...toolsAt(0),
    async post(url, _headers, body) {
      posted.push({ url, body: body.toString() });
      return answer(posted.length);
    },
  };
  return { tools, posted };
}

test('nothing is uploaded where nothing comes along', async () => {
  const { tools, posted } = posting(() => ({ status: 201, text: '{}' }));
  expect(sent(await ask({ type: 37, body: bodyWith(), tools })).files).toBeUndefined();
  expect(posted).toEqual([]);
});

test('each picture is a form of its own, at the channel’s address, and the request has their ids in its order', async () => {
  const { tools, posted } = posting((count) => ({ status: 201, text: `{"id":"f${count}"}` }));
  const channel = { baseUrl: 'https://apps.example/' };
  const { files } = sent(await ask({ type: 37, channel, body: { ...bodyWith(picture, picture), user: 'a\r\nb' }, tools }));
  expect(files).toMatchObject([{ upload_file_id: 'f1' }, { upload_file_id: 'f2' }]);
  expect(posted.map(({ url }) => url)).toEqual(Array(2).fill('https://apps.example/v1/files/upload'));
  expect(posted[0]?.body.split(/--tollgate-[\w-]+/)).toHaveLength(4);
});

test.each([
  [
    { status: 401, text: '{}' },
    { code: 'channel_misconfigured', evidence: { class: 'auth' } },
  ],
  [
    { status: 500, text: 'oops' },
    { code: 'do_request_failed', evidence: { class: 'network' }, detail: expect.stringMatching(/status (500|201)/) as string },
  ],
  [
    { status: 201, text: '[]' },
    { code: 'do_request_failed', evidence: { class: 'network' }, detail: expect.stringMatching(/status (500|201)/) as string },
  ],
  [{ status: 413, text: '{}' }, { code: 'invalid_text_request' }],
])('an upload that is answered %o is the fault of whom it is', async (answer, fault) => {
  const { tools } = posting(() => answer);
  await expect(ask({ type: 37, body: bodyWith(picture), tools })).rejects.toMatchObject(fault);
});

test('an address that does not answer is the upstream’s trouble', async () => {
  const { tools } = posting(() => Promise.reject(new SignFault('cannot be reached', false)));
  await expect(ask({ type: 37, body: bodyWith(picture), tools })).rejects.toMatchObject({
    ...{ status: 502, code: 'do_request_failed', retryable: true, detail: 'cannot be reached' },
  });
});
