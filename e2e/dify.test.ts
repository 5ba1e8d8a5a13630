import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listening } from '../server/test/listening.ts';
import { booksAgree } from './support/books-agree.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { postJson } from './support/post-json.ts';
import { addServing } from './support/routing.ts';

const model = 'an-application';
const png = Buffer.from('iVBORw0KGgo=', 'base64');
const dataUrl = `data:image/png;base64,${png.toString('base64')}`;

interface Uploaded {
  readonly bytes: Buffer;
  readonly type: string;
  readonly user: unknown;
  readonly authorization: string | undefined;
}

/** An application of Dify as its API is published: files are uploaded, then a question names them. */
function startApplication() {
  const uploads: Uploaded[] = [];
  const questions: Record<string, unknown>[] = [];
  let uploadStatus = 201;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { 'content-type': type = '', authorization } = request.headers;
    if (request.url === '/v1/files/upload') {
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
      const file = form.get('file') as File;
      uploads.push({ bytes: Buffer.from(await file.arrayBuffer()), type: file.type, user: form.get('user'), authorization });
      response.writeHead(uploadStatus, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          uploadStatus === 201 ? { id: `file-${uploads.length}`, name: file.name } : { code: 'unsupported_file_type' },
        ),
      );
      return;
    }
    questions.push(JSON.parse(body.toString()) as Record<string, unknown>);
    const frames = [
      { event: 'message', message_id: 'm-1', answer: 'a cat' },
      {
        event: 'message_end',
        message_id: 'm-1',
        metadata: { usage: { prompt_tokens: 33, completion_tokens: 2, total_tokens: 35 } },
      },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  });
  const answerUploads = (status: number) => {
    uploadStatus = status;
  };
  return { server, uploads, questions, answerUploads };
}

const application = startApplication();
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  const port = await listening(application.server);
  gateway = await startGateway();
  root = await gateway.root();
  await root.setOption('ModelRatio', { [model]: 1 });
  await addServing(root, { type: 37, base_url: `http://127.0.0.1:${port}`, key: 'app-key', models: model });
  ({ key } = await root.addToken());
});
afterAll(async () => {
  await gateway.stop();
  application.server.close();
});

const look = (...urls: string[]) =>
  postJson(`${gateway.url}/v1/chat/completions`, key, {
    ...{ model, user: 'u-1' },
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'what is it?' }, ...urls.map((url) => ({ type: 'image_url', image_url: { url } }))],
      },
    ],
  });

test('a picture that comes along is uploaded as a file of its user, one by address is named, and the answer is charged', async () => {
  const answer = await look(dataUrl, 'https://pictures.example/1.png');
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'a cat' } }], usage: { prompt_tokens: 33 } });
  expect(application.uploads).toEqual([{ bytes: png, type: 'image/png', user: 'u-1', authorization: 'Bearer app-key' }]);
  expect(application.questions.at(-1)).toMatchObject({
    user: 'u-1',
    files: [
      { type: 'image', transfer_method: 'local_file', upload_file_id: 'file-1' },
      { type: 'image', transfer_method: 'remote_url', url: 'https://pictures.example/1.png' },
    ],
  });
  expect(answer.headers.get('x-tollgate-losses')).toBeNull();
  await booksAgree(gateway, root);
});

test('a picture that the application refuses is the caller’s to change; nothing is asked and nothing is charged', async () => {
  const asked = application.questions.length;
  const { quota } = await root.self();
  application.answerUploads(415);
  const answer = await look(dataUrl);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('does not take this picture (status 415)');
  expect(application.questions).toHaveLength(asked);
  expect((await root.self()).quota).toBe(quota);
  application.answerUploads(201);
  expect((await look(dataUrl)).status).toBe(200);
  await booksAgree(gateway, root);
});
