import { type Dialect, jsonAnswer } from '../../dialect.ts';
import { chatError } from '../chat/answer.ts';
import type { Told } from '../facts.ts';
import { geminiError } from '../gemini/answer.ts';
import * as strict from '../strict.ts';
import { guarded, tell } from '../vendor.ts';

export const vector = [0.5, -0.25, 0.125];
const nothing: Told = { prompt: 0, cached: 0, write5m: 0, write1h: 0, completion: 0, reasoning: 0 };

/** Usage of a call with only a prompt: four tokens a text. */
function promptOf(texts: readonly unknown[]): Told {
  return { ...nothing, prompt: 4 * texts.length };
}

export const embeddings: Dialect = guarded(chatError, (request) => {
  const body = strict.only(request.json, 'body', 'input model dimensions encoding_format user');
  const format = strict.oneOf<string>(body.encoding_format ?? 'float', 'encoding_format', 'float base64');
  const texts = typeof body.input === 'string' ? [body.input] : strict.list(body.input, 'input');
  for (const text of texts) strict.filled(text, 'input');
  const told = promptOf(texts);
  tell(request, told);
  const embedding = format === 'float' ? vector : Buffer.from(new Float32Array(vector).buffer).toString('base64');
  const data = texts.map((_, index) => ({ object: 'embedding', index, embedding }));
  return jsonAnswer(200, {
    object: 'list',
    data,
    model: body.model,
    usage: { prompt_tokens: told.prompt, total_tokens: told.prompt },
  });
});

function geminiText(each: unknown, path: string): string {
  const asked = strict.only(each, path, 'model content taskType title outputDimensionality');
  const { parts } = strict.only(asked.content, `${path}.content`, 'parts role');
  return strict
    .list(parts, path)
    .map((part) => strict.filled(strict.only(part, path, 'text').text, path))
    .join('');
}

export const batchEmbed: Dialect = guarded(geminiError, (request) => {
  const { requests } = strict.only(request.json, 'body', 'requests');
  const texts = strict.list(requests, 'requests').map((each) => {
    strict.matching(strict.object(each, 'requests').model, 'requests.model', /^models\/./);
    return geminiText(each, 'requests');
  });
  const told = promptOf(texts);
  tell(request, told);
  return jsonAnswer(200, { embeddings: texts.map(() => ({ values: vector })), usageMetadata: { promptTokenCount: told.prompt } });
});

export const embed: Dialect = guarded(geminiError, (request) => {
  const told = promptOf([geminiText(request.json, 'body')]);
  tell(request, told);
  return jsonAnswer(200, { embedding: { values: vector }, usageMetadata: { promptTokenCount: told.prompt } });
});

function cohereError(_status: number, message: string) {
  return { message };
}

export const cohereEmbed: Dialect = guarded(cohereError, (request) => {
  const body = strict.only(request.json, 'body', 'model texts input_type embedding_types output_dimension truncate max_tokens');
  strict.oneOf(body.input_type, 'input_type', 'search_document search_query classification clustering image');
  const texts = strict.list(body.texts, 'texts').map((text) => strict.filled(text, 'texts'));
  const told = promptOf(texts);
  tell(request, told);
  const meta = { api_version: { version: '2' }, billed_units: { input_tokens: told.prompt } };
  return jsonAnswer(200, {
    id: 'vendor1',
    texts,
    embeddings: { float: texts.map(() => vector) },
    meta,
    response_type: 'embeddings_by_type',
  });
});

/** The last document fits best. One vendor bills searches, and tells no tokens; the other tokens. */
export const rerank: Dialect = guarded(cohereError, (request) => {
  const known = 'model query documents top_n return_documents rank_fields max_chunks_per_doc max_tokens_per_doc';
  const body = strict.only(request.json, 'body', known);
  strict.filled(body.query, 'query');
  const documents = strict.list(body.documents, 'documents').map((document) => strict.filled(document, 'documents'));
  const count = strict.whole(body.top_n, 'top_n', 1) ?? documents.length;
  const results = documents
    .map((text, index) => ({
      index,
      relevance_score: (index + 1) / 10,
      ...(body.return_documents === false ? {} : { document: { text } }),
    }))
    .reverse()
    .slice(0, count);
  const isCohere = request.path.includes('-34/');
  if (isCohere)
    return jsonAnswer(200, {
      id: 'vendor1',
      results,
      meta: { api_version: { version: '1' }, billed_units: { search_units: 1 } },
    });
  const told: Told = { ...nothing, prompt: 4 * documents.length };
  tell(request, told);
  return jsonAnswer(200, { id: 'vendor1', model: body.model, usage: { total_tokens: told.prompt }, results });
});

export const moderations: Dialect = guarded(chatError, ({ json }) => {
  const body = strict.only(json, 'body', 'input model');
  const inputs = typeof body.input === 'string' ? [body.input] : strict.list(body.input, 'input');
  const results = inputs.map((input) => {
    const flagged = String(input).includes('bad');
    return {
      flagged,
      categories: { violence: flagged },
      category_scores: { violence: flagged ? 0.9 : 0.01 },
      category_applied_input_types: { violence: ['text'] },
    };
  });
  return jsonAnswer(200, { id: 'modr-vendor1', model: body.model, results });
});

/** Each question is answered yes, as far as it is one. */
export const decisions: Dialect = guarded(chatError, (request) => {
  const body = strict.only(request.json, 'body', 'model input questions prompt_cache_key prompt_cache_options safety_identifier');
  if (typeof body.input !== 'string' && strict.list(body.input, 'input').length === 0) strict.refuse('input is required');
  const answers = strict.list(body.questions, 'questions').map((question) => {
    const { type, name = null } = strict.object(question, 'questions');
    strict.oneOf<string>(type, 'questions.type', 'predicate');
    return { type: 'predicate', name, probability: 0.75 };
  });
  if (answers.length === 0) strict.refuse('questions: at least 1');
  const told: Told = { ...nothing, prompt: 40, cached: 8, completion: answers.length };
  tell(request, told);
  return jsonAnswer(200, {
    model: body.model,
    answers,
    usage: {
      input_tokens: told.prompt,
      input_tokens_details: { cached_tokens: told.cached, cache_write_tokens: 0 },
      output_tokens: told.completion,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: told.prompt + told.completion,
    },
  });
});
