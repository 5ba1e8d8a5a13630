import { asObjects, type JsonObject } from '@tollgate/wire';
import { inside } from './bodies.ts';
import { chinaModels } from './china-models.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import type { FamilyShape, Place, Provider } from './provider.ts';
import { baiduSigner } from './sign/baidu-token.ts';

/** Models whose place is not their name in lower case (contract 6.10). */
const places: ReadonlyMap<string, string> = new Map([
  ['ERNIE-4.0', 'completions_pro'],
  ['ERNIE-4.0-8K', 'completions_pro'],
  ['ERNIE-Bot-4', 'completions_pro'],
  ['ERNIE-3.5-8K', 'completions'],
  ['ERNIE-Bot', 'completions'],
  ['ERNIE-Bot-turbo', 'eb-instant'],
  ['ERNIE-Lite-8K-0922', 'eb-instant'],
  ['ERNIE-Speed', 'ernie_speed'],
  ['ERNIE-Speed-8K', 'ernie_speed'],
  ['ERNIE-Bot-8K', 'ernie_bot_8k'],
  ['ERNIE-Lite-8K-0308', 'ernie-lite-8k'],
  ['BLOOMZ-7B', 'bloomz_7b1'],
  ['bge-large-zh', 'bge_large_zh'],
  ['bge-large-en', 'bge_large_en'],
  ['tao-8k', 'tao_8k'],
]);

const below =
  (folder: string): Place =>
  ({ model }) =>
    `/rpc/2.0/ai_custom/v1/wenxinworkshop/${folder}/${encodeURIComponent(places.get(model) ?? model.toLowerCase())}`;

/** The model stands in the path, and errors come with status 200. */
const embeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode: (body) => ({ input: inputTexts(body), ...(body.user === undefined ? {} : { user_id: body.user }) }),
  decode(answer, { model }, asked) {
    if (typeof answer.error_code === 'number') return refusal(answer);
    if (!Array.isArray(answer.data)) return answer;
    const vectors = asObjects(answer.data).map(({ embedding }) => embedding);
    return embeddingList({ vectors, model, tokens: inside(answer, 'usage', 'total_tokens') }, asked);
  },
};

function refusal({ error_code: code, error_msg: message }: JsonObject): JsonObject {
  return { error: { message, type: 'upstream_error', param: null, code } };
}

/** Qianfan's first API: tokens for keys, one path for each model. */
export const baidu: Provider = {
  type: 15,
  name: 'baidu',
  baseUrl: 'https://aip.baidubce.com',
  paths: { 'baidu-chat': below('chat'), embeddings: below('embeddings') },
  shapes: { embeddings },
  dialectsOf: () => ['baidu-chat'],
  streamUsage: false,
  sign: baiduSigner,
  models: chinaModels[15],
};
