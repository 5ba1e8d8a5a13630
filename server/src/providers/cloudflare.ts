import { asObjects, asWord, defined, type JsonObject } from '@tollgate/wire';
import { inside } from './bodies.ts';
import type { ChannelFacts } from './call.ts';
import { defaultModels } from './default-models.ts';
import { adaptReasoning, isCrossed } from './openai.ts';
import { pictureList, sizeAsked, tooManyPictures } from './pictures.ts';
import type { FamilyShape, Place, Provider } from './provider.ts';
import { plainDocuments } from './rerank.ts';

/** The account stands in the channel's special field (contract 4.3). */
function account({ other }: ChannelFacts): string {
  const id = other.trim();
  if (id === '') throw new RangeError('the account id is missing');
  return `/client/v4/accounts/${encodeURIComponent(id)}`;
}

/** Names of models hold slashes that stay as they are. */
const run: Place = ({ channel, model }) =>
  `${account(channel)}/ai/run/${model.split('/').map(encodeURIComponent).join('/').replaceAll('%40', '@')}`;

/** The sound's bytes alone; the answer's text stands in `result`. */
const transcript: FamilyShape = {
  encode: (body) => body,
  encodeUpload: ({ file }) => ({ body: file.bytes, mediaType: 'application/octet-stream' }),
  decode(answer) {
    const text = inside(answer, 'result', 'text');
    return typeof text === 'string'
      ? { text }
      : { error: { message: 'no text came', type: 'upstream_error' }, ...failure(answer) };
  },
};

const pictures: FamilyShape = {
  refuses: (body) => tooManyPictures(body, 1),
  encode({ prompt, size, seed, negative_prompt, steps }) {
    const [width, height] = sizeAsked({ size })?.split('x').map(Number) ?? [];
    return defined({ prompt, width, height, seed, negative_prompt, steps });
  },
  decode(answer) {
    const image = inside(answer, 'result', 'image');
    return typeof image === 'string' ? pictureList([image]) : failure(answer);
  },
};

const ranking: FamilyShape = {
  encode({ query, documents, top_n }) {
    const contexts = plainDocuments(documents).map((text) => ({ text }));
    return { query, contexts, ...(top_n === undefined ? {} : { top_k: top_n }) };
  },
  decode(answer) {
    const response = inside(answer, 'result', 'response');
    if (!Array.isArray(response)) return failure(answer);
    return { results: asObjects(response).map(({ id, score }) => ({ index: id, relevance_score: score })) };
  },
};

/** `{success: false, errors: [{code, message}]}` */
function failure(answer: JsonObject): JsonObject {
  const [first] = asObjects(answer.errors);
  if (first === undefined) return answer;
  return { error: { message: asWord(first.message), type: 'upstream_error', code: first.code } };
}

/** Workers AI: chat and embeddings as the OpenAI API has them, the rest by running a model. */
export const cloudflare: Provider = {
  type: 39,
  name: 'cloudflare',
  baseUrl: 'https://api.cloudflare.com',
  paths: {
    'openai-chat': ({ channel }) => `${account(channel)}/ai/v1/chat/completions`,
    embeddings: ({ channel }) => `${account(channel)}/ai/v1/embeddings`,
    images: run,
    rerank: run,
    transcriptions: run,
  },
  shapes: { images: pictures, rerank: ranking, transcriptions: transcript },
  streamUsage: true,
  adapt: adaptReasoning,
  adapts: isCrossed,
  models: defaultModels[39] ?? [],
  modelList: { path: (channel) => `${account(channel)}/ai/models/search?per_page=1000`, list: 'result', id: 'name' },
};
