import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { FamilyShape } from './provider.ts';
import { promptUsage } from './rerank.ts';

/** `texts` in, `vectors` out. */
export const minimaxEmbeddings: FamilyShape = {
  encode: ({ model, input }) => ({ model, texts: Array.isArray(input) ? input : [input], type: 'db' }),
  decode(answer, { model }) {
    const vectors: unknown[] = Array.isArray(answer.vectors) ? answer.vectors : [];
    const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
    return refusal(answer) ?? { object: 'list', data, model, ...promptUsage(answer.total_tokens) };
  },
};

const ratios: ReadonlyMap<unknown, string> = new Map([
  ['1024x1024', '1:1'],
  ['1024x1792', '9:16'],
  ['1792x1024', '16:9'],
  ['1024x1536', '2:3'],
  ['1536x1024', '3:2'],
]);

/** Sizes are ratios; addresses and base64 come in lists of their own. */
export const minimaxImages: FamilyShape = {
  encode({ model, prompt, n, size, response_format: format }) {
    return {
      model,
      prompt,
      ...(n === undefined ? {} : { n }),
      aspect_ratio: ratios.get(size) ?? '1:1',
      response_format: format === 'b64_json' ? 'base64' : 'url',
    };
  },
  decode(answer) {
    const made = isObject(answer.data) ? answer.data : {};
    const urls = Array.isArray(made.image_urls) ? made.image_urls.map((url: unknown) => ({ url })) : [];
    const inline = Array.isArray(made.image_base64) ? made.image_base64.map((b64_json: unknown) => ({ b64_json })) : [];
    return refusal(answer) ?? { data: [...urls, ...inline] };
  },
};

/** Errors come with status 200. */
function refusal({ base_resp: reply }: JsonObject): JsonObject | undefined {
  if (!isObject(reply) || typeof reply.status_code !== 'number' || reply.status_code === 0) return undefined;
  return { error: { message: reply.status_msg, type: 'upstream_error', param: null, code: reply.status_code } };
}
