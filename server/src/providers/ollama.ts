import { defined } from '@tollgate/wire';
import { isObject, without } from './bodies.ts';
import { defaultModels } from './default-models.ts';
import { embeddingList } from './embeddings.ts';
import { adaptReasoning, isCrossed } from './openai.ts';
import { failed } from './pictures.ts';
import { texts, under } from './places.ts';
import type { FamilyShape, Provider } from './provider.ts';

/** POST /api/embed: sampling fields are `options` there. */
const nativeEmbeddings: FamilyShape = {
  encode(body) {
    const { model, input, dimensions, temperature, top_p, frequency_penalty, presence_penalty, seed, ...rest } = body;
    const own = defined({ temperature, top_p, frequency_penalty, presence_penalty, seed });
    const options = { ...(isObject(rest.options) ? rest.options : {}), ...own };
    return {
      ...without(rest, ['encoding_format', 'user', 'options']),
      ...defined({ model, input, dimensions }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    };
  },
  decode(answer, { model }, asked) {
    if (failed(answer) || !Array.isArray(answer.embeddings)) return answer;
    return embeddingList({ vectors: answer.embeddings, model, tokens: answer.prompt_eval_count }, asked);
  },
};

/** Chat as the OpenAI API has it, pictures inline only; embeddings in its own shape. */
export const ollama: Provider = {
  type: 4,
  name: 'ollama',
  baseUrl: 'http://localhost:11434',
  paths: { ...under('/v1', texts), embeddings: '/api/embed' },
  shapes: { embeddings: nativeEmbeddings },
  streamUsage: true,
  adapt: adaptReasoning,
  adapts: isCrossed,
  mediaByUrl: [],
  models: defaultModels[4] ?? [],
  modelList: { path: '/v1/models' },
};
