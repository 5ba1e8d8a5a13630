import { randomUUID } from 'node:crypto';
import { asWord, type JsonObject, parseObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import type { Provider } from './provider.ts';
import { SignFault, type SignTools } from './sign.ts';

const baseUrl = 'https://api.dify.ai';
/** Where the id of a picture will stand; see the dialect's encoder. */
const comesAlong = /^data:([\w.+-]+\/[\w.+-]+);base64,/;

/** An application: its key says which, and the application chooses the model. */
export const dify: Provider = {
  type: 37,
  name: 'dify',
  baseUrl,
  paths: { 'dify-chat': '/v1/chat-messages' },
  streamUsage: false,
  // Agents refuse to answer at once.
  streamsOnly: true,
  deliver: uploadPictures,
  models: [],
};

/** Pictures that come along become files of the application, all at once; ten at most, as the encoder sees to. */
function uploadPictures(body: Buffer, { channel }: UpstreamCallFacts, tools: SignTools): Buffer | Promise<Buffer> {
  if (!body.includes('"upload_file_id":"data:')) return body;
  const request = JSON.parse(body.toString('utf8')) as JsonObject;
  const url = `${(channel.baseUrl || baseUrl).replace(/\/+$/, '')}/v1/files/upload`;
  const upload = async (file: unknown): Promise<unknown> => {
    const picture = isObject(file) ? asWord(file.upload_file_id) : '';
    const [mark, mediaType = ''] = comesAlong.exec(picture) ?? [];
    if (!isObject(file) || mark === undefined) return file;
    const bytes = Buffer.from(picture.slice(mark.length), 'base64');
    const form = formOf(bytes, mediaType, String(request.user));
    const headers = { authorization: `Bearer ${channel.key}`, 'content-type': form.mediaType };
    return { ...file, upload_file_id: idIn(await tools.post(url, headers, form.body)) };
  };
  const files = Array.isArray(request.files) ? request.files : [];
  return Promise.all(files.map(upload)).then((named) => Buffer.from(JSON.stringify({ ...request, files: named })));
}

/** multipart/form-data (RFC 7578) with the picture and whose it is. */
function formOf(bytes: Buffer, mediaType: string, user: string): { body: Buffer; mediaType: string } {
  const boundary = `tollgate-${randomUUID()}`;
  const ending = mediaType.slice(mediaType.indexOf('/') + 1).replace(/\W.*$/, '');
  const head = (disposition: string, more = '') =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n${more}\r\n`;
  const start = `${head('name="user"')}${user}\r\n${head(`name="file"; filename="picture.${ending}"`, `content-type: ${mediaType}\r\n`)}`;
  const body = Buffer.concat([Buffer.from(start), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { body, mediaType: `multipart/form-data; boundary=${boundary}` };
}

/** Throws RangeError where the picture is refused, SignFault for all else. */
function idIn({ status, text }: { status: number; text: string }): string {
  const id = status < 300 ? parseObject(text)?.id : undefined;
  if (typeof id === 'string' && id !== '') return id;
  const isPicture = status === 400 || status === 413 || status === 415;
  if (isPicture) throw new RangeError(`the application does not take this picture (status ${status})`);
  throw new SignFault(`a picture could not be uploaded (status ${status})`, status === 401);
}
