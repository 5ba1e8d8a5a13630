import { inside, messageAsError } from './bodies.ts';
import { defaultModels } from './default-models.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import type { FamilyShape, Provider } from './provider.ts';
import { plainDocuments, promptUsage } from './rerank.ts';

/** POST /v1/rerank, whose version 2 no longer returns documents. One result and its document unless the caller says (contract 6.10). */
const ranking: FamilyShape = {
  encode: ({ documents, ...body }) => ({
    ...body,
    documents: plainDocuments(documents),
    top_n: body.top_n ?? 1,
    return_documents: body.return_documents ?? true,
  }),
  decode(answer) {
    if (!Array.isArray(answer.results)) return messageAsError(answer);
    return { ...answer, ...promptUsage(inside(answer, 'meta', 'billed_units', 'input_tokens')) };
  },
};

/** POST /v2/embed */
const embeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode(body) {
    const { model, dimensions, input_type = 'search_document' } = body;
    const options = dimensions === undefined ? {} : { output_dimension: dimensions };
    return { model, texts: inputTexts(body), input_type, embedding_types: ['float'], ...options };
  },
  decode(answer, { model }, asked) {
    const vectors = inside(answer, 'embeddings', 'float');
    if (!Array.isArray(vectors)) return messageAsError(answer);
    return embeddingList({ vectors, model, tokens: inside(answer, 'meta', 'billed_units', 'input_tokens') }, asked);
  },
};

/** Chat in version 2 of the vendor's own API: it has what version 1 has, and tools, pictures and thinking beside it. */
export const cohere: Provider = {
  type: 34,
  name: 'cohere',
  baseUrl: 'https://api.cohere.ai',
  paths: { 'cohere-chat': '/v2/chat', embeddings: '/v2/embed', rerank: '/v1/rerank' },
  shapes: { embeddings, rerank: ranking },
  streamUsage: false,
  models: defaultModels[34] ?? [],
  modelList: { path: '/v1/models?page_size=1000', list: 'models', id: 'name' },
};
