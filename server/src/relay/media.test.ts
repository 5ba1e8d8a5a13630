import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Asking, ask, sent } from '../../test/record-kit.ts';
import { createBodyBudget } from './body-budget.ts';
import { createMediaLoader, type FetchedMedia, type FetchMedia, namesMediaToFetch } from './media.ts';

const png: FetchedMedia = { mediaType: 'image/png', bytes: Buffer.from('png') };
const pdf: FetchedMedia = { mediaType: 'application/pdf', bytes: Buffer.from('pdf') };
const wav: FetchedMedia = { mediaType: 'audio/x-wav', bytes: Buffer.from('wav') };
const web: Readonly<Record<string, FetchedMedia>> = {
  'https://a.example/1.png': png,
  'https://a.example/2.pdf': pdf,
  'https://a.example/3.wav': wav,
};
const base64 = ({ bytes }: FetchedMedia) => bytes.toString('base64');

const megabyte = 1024 * 1024;
/** A loader of a call that is alone. */
const loaderOf = (fetchMedia: FetchMedia) => createMediaLoader(fetchMedia, createBodyBudget(megabyte), { bytes: 0 });

/** A loader over a small web, and what was asked of it. */
function loader(pages = web) {
  const asked: string[] = [];
  const media = loaderOf((url) => {
    asked.push(url);
    const page = pages[url];
    return page === undefined ? Promise.reject(new Error('it answered with status 404')) : Promise.resolve(page);
  });
  return { media, asked };
}

describe('a loader', () => {
  test('fetches an address once, however often it is named', async () => {
    const { media, asked } = loader();
    const both = await Promise.all([media.load('https://a.example/1.png'), media.load('https://a.example/1.png')]);
    expect(both[0]).toEqual({ mediaType: 'image/png', base64: base64(png) });
    expect(both[1]).toBe(both[0]);
    expect(asked).toHaveLength(1);
  });

  test('fetches four at once', async () => {
    let running = 0;
    let most = 0;
    const media = loaderOf(async () => {
      running += 1;
      most = Math.max(most, running);
      await soon();
      running -= 1;
      return png;
    });
    const all = await Promise.all(Array.from({ length: 23 }, (_, k) => media.load(`https://a.example/${k}`)));
    expect([all.length, most, running]).toEqual([23, 4, 0]);
  });

  test('a failure is the caller’s, ends the matter, and frees its place', async () => {
    const { media } = loader();
    for (let k = 0; k < 6; k += 1) {
      await expect(media.load(`https://gone.example/${k}`)).rejects.toMatchObject({
        ...{ status: 400, code: 'media_unavailable', retryable: false, evidence: undefined },
        message: expect.stringContaining('it answered with status 404') as string,
      });
    }
    expect((await media.load('https://a.example/1.png')).mediaType).toBe('image/png');
  });

  test('the number of addresses and the sum of their bytes are bounded', async () => {
    const { media } = loader({});
    const all = Array.from({ length: 65 }, (_, k) => media.load(`https://a.example/${k}`).catch((error: Error) => error.message));
    expect((await Promise.all(all)).at(-1)).toContain('more than 64 addresses');
    const large = loaderOf(() => Promise.resolve({ mediaType: 'image/png', bytes: Buffer.alloc(40 * megabyte) }));
    await large.load('https://a.example/1');
    await large.load('https://a.example/2');
    await expect(large.load('https://a.example/3')).rejects.toThrow('too large together');
  });
});

test('what is fetched takes room of the bodies until it is let go, and none afterwards', async () => {
  const bodies = createBodyBudget(3 * megabyte);
  const file = { mediaType: 'image/png', bytes: Buffer.alloc(1.5 * megabyte) };
  const [mine, theirs] = [{ bytes: 1_000 }, { bytes: 0 }];
  bodies.came(mine, 1_000);
  const first = createMediaLoader(() => Promise.resolve(file), bodies, mine);
  const second = createMediaLoader(() => Promise.resolve(file), bodies, theirs);
  await first.load('https://a.example/1');
  expect(mine.bytes).toBe(1_000 + 2 * megabyte);
  await expect(second.load('https://a.example/1')).rejects.toMatchObject({
    ...{ status: 503, code: 'overloaded', retryable: false, retryAfterSeconds: 1 },
  });
  const late = first.load('https://a.example/2');
  first.forget();
  await late;
  expect([mine.bytes, theirs.bytes]).toEqual([1_000, 0]);
  await second.load('https://a.example/2');
  expect(theirs.bytes).toBe(2 * megabyte);
});

test('for a caller who has left nothing is fetched on, and nothing more', async () => {
  const signals: AbortSignal[] = [];
  const media = loaderOf(
    (_, signal) =>
      new Promise((_fetched, fail) => {
        signals.push(signal);
        signal.addEventListener('abort', () => fail(new Error('given up')));
      }),
  );
  const all = Array.from({ length: 9 }, (_, k) => media.load(`https://a.example/${k}`));
  const ended = Promise.allSettled(all);
  media.abandon();
  expect((await ended).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 'rejected'));
  expect(signals).toHaveLength(4);
});

const image = (url: string) => ({ type: 'image_url', image_url: { url, detail: 'low' } });
const chat = (...content: object[]) => ({ model: 'm', messages: [{ role: 'user', content }] });

async function asked(asking: Asking) {
  const web = loader();
  const outgoing = await ask({ ...asking, asked: { media: web.media } });
  return { body: sent(outgoing), fetched: web.asked, outgoing };
}

describe('a request that names media by address', () => {
  test('holds them inline where the other dialect takes none', async () => {
    const { body } = await asked({ type: 14, body: chat({ type: 'text', text: 'see' }, image('https://a.example/1.png')) });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64(png) } },
        ],
      },
    ]);
  });

  test('keeps them where the upstream fetches by itself', async () => {
    const messages = {
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/1.png' } }] }],
    };
    const { body, fetched } = await asked({ type: 1, protocol: 'anthropic-messages', body: messages });
    expect(JSON.stringify(body)).toContain('"url":"https://a.example/1.png"');
    expect(fetched).toEqual([]);
  });

  test('a document goes inline to chat, a sound becomes a sound, a picture is one whatever it was called', async () => {
    const part = (url: string) => ({ type: 'input_file', file_url: url, filename: 'paper' });
    const input = ['https://a.example/2.pdf', 'https://a.example/3.wav', 'https://a.example/1.png'].map(part);
    const { body } = await asked({
      ...{ type: 43, protocol: 'openai-responses' },
      body: { model: 'm', input: [{ role: 'user', content: input }] },
    });
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data: `data:application/pdf;base64,${base64(pdf)}`, filename: 'paper.pdf' } },
          { type: 'input_audio', input_audio: { data: base64(wav), format: 'wav' } },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${base64(png)}` } },
        ],
      },
    ]);
  });

  test('is refused in clear words when one of them cannot be had', async () => {
    await expect(asked({ type: 14, body: chat(image('https://gone.example/1.png')) })).rejects.toMatchObject({
      ...{ status: 400, code: 'media_unavailable' },
    });
  });

  test('in the upstream’s own dialect: the conversation alone is told anew where its vendor fetches nothing', async () => {
    const body = `{"seed":1.0,"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https:\\/\\/a.example/1.png"}}]}]}`;
    const { outgoing, fetched } = await asked({ type: 4, body, channel: { baseUrl: 'https://own.example' } });
    expect(fetched).toEqual(['https://a.example/1.png']);
    expect(outgoing.body.toString()).toBe(
      `{"seed":1.0,"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,${base64(png)}"}}]}]}`,
    );
    const plain = `{"model":"m" ,"messages":[{"role":"user","content":"see https://a.example/1.png"}]}`;
    const same = await asked({ type: 4, body: plain, channel: { baseUrl: 'https://own.example' } });
    expect([same.outgoing.body.toString(), same.fetched]).toEqual([plain, []]);
  });

  test('all else that its vendor may read stays, and what it does not take is declared', async () => {
    const thought = { role: 'assistant', content: 'Look.', reasoning_content: 'hm' };
    const told = chat(image('https://a.example/1.png'));
    const own = await asked({ type: 4, body: { ...told, messages: [...told.messages, thought, ...told.messages] } });
    expect((own.body.messages as unknown[])[1]).toEqual(thought);
    expect(own.outgoing.losses).toEqual([]);
    const at = (type: string, name: string, more: object = {}) => ({
      ...{ type, source: { type: 'url', url: `https://a.example/${name}` } },
      ...more,
    });
    const transformations = [{ type: 'crop' }];
    const content = [at('image', '1.png', { transformations }), at('document', '3.wav'), { type: 'text', text: 'hear' }];
    const claude = await asked({
      ...{ type: 33, protocol: 'anthropic-messages' },
      body: { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content }] },
      channel: { key: 'a|b|us-east-1' },
    });
    const source = { type: 'base64', media_type: 'image/png', data: base64(png) };
    expect(claude.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source, transformations },
          { type: 'text', text: 'hear' },
        ],
      },
    ]);
    expect(claude.outgoing.losses).toEqual(['audio']);
  });

  test('an upstream of the caller’s own dialect that fetches by itself gets the bytes as they are', async () => {
    const body = JSON.stringify(chat(image('https://a.example/1.png')));
    const { outgoing, fetched } = await asked({ type: 1, body });
    expect([outgoing.body.toString(), fetched]).toEqual([body, []]);
    const contents = [{ role: 'user', parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'https://a.example/v' } }] }];
    const generate = JSON.stringify({ contents });
    for (const type of [24, 41]) {
      const native = await asked({
        ...{ type, protocol: 'gemini-generate', path: { model: 'gemini-2.5-pro' }, body: generate },
        channel: { key: JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'k' }), other: 'us-central1' },
        tools: { nowMs: 0, token: () => Promise.resolve('t'), post: () => Promise.reject(new Error('none')) },
      });
      expect([native.outgoing.body.toString(), native.fetched]).toEqual([generate, []]);
    }
  });
});

describe('pictures in one message', () => {
  const pictures = (count: number) => chat(...Array.from({ length: count }, () => image('data:image/png;base64,AA==')));

  test('more than the vendor takes are refused, per message', async () => {
    await expect(asked({ type: 24, body: pictures(17) })).rejects.toMatchObject({ status: 400, code: 'too_many_images' });
    const [message] = pictures(16).messages;
    expect((await asked({ type: 24, body: { model: 'm', messages: [message, message] } })).body.contents).toBeDefined();
  });

  test('another vendor may take more', async () => {
    expect((await asked({ type: 14, body: pictures(17) })).body.messages).toHaveLength(1);
  });
});

test.each([
  ['"http://pictures.example/a.png"', true],
  ['"https://pictures.example/a.png"', true],
  ['"https:\\/\\/pictures.example\\/a.png"', true],
  ['"gs://bucket/a.png"', false],
  ['"data:image/png;base64,AA=="', false],
])('of a body with %s may be fetched: %s', (address, may) => {
  expect(namesMediaToFetch(Buffer.from(`{"url":${address},"of":"a \\"quoted\\" word"}`))).toBe(may);
});
