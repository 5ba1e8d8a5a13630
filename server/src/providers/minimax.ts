import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import type { FamilyShape } from './provider.ts';

/** `texts` in, `vectors` out. */
export const minimaxEmbeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode: (body) => ({ model: body.model, texts: inputTexts(body), type: 'db' }),
  decode(answer, { model }, asked) {
    const { vectors, total_tokens: tokens } = answer;
    const wrong = refusal(answer);
    if (wrong !== undefined || !Array.isArray(vectors)) return wrong ?? answer;
    return embeddingList({ vectors, model, tokens }, asked);
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
    return refusal(answer) ?? { created: 0, data: [...urls, ...inline] };
  },
};

/** Errors come with status 200. */
function refusal({ base_resp: reply }: JsonObject): JsonObject | undefined {
  if (!isObject(reply) || typeof reply.status_code !== 'number' || reply.status_code === 0) return undefined;
  return { error: { message: reply.status_msg, type: 'upstream_error', param: null, code: reply.status_code } };
}
