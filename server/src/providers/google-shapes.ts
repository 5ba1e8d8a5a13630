import { asCount, asNumber, asObjects, asWord, defined, geminiGenerate, type JsonObject } from '@tollgate/wire';
import { inside } from './bodies.ts';
import { embeddingList, inputTexts, notOnlyTexts } from './embeddings.ts';
import { aspectRatio, failed, pictureCount, pictureList, pictureUsage, sizeAsked, tooManyPictures } from './pictures.ts';
import type { FamilyShape } from './provider.ts';

/** What a picture counts for (contract 6.13). */
const pictureTokens = 258;
/** Pictures of one request to a model that does nothing else. */
const mostDrawn = 8;

/** `:batchEmbedContents`, which takes one text as well as many. */
export const batchEmbeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode(body, { model }) {
    const { dimensions } = body;
    const encoded = geminiGenerate.encodeEmbedRequest({ input: inputTexts(body), dimensions }, model);
    return encoded.ok ? encoded.body : { requests: [] };
  },
  inputs: {
    says: ['task_type', 'title', 'output_dimensionality'],
    encode: (inputs, { model }) => ({ requests: inputs.map((input) => geminiGenerate.spellInput(input, model)) }),
  },
  decode(answer, { model }, asked) {
    if (failed(answer) || !Array.isArray(answer.embeddings)) return answer;
    return geminiGenerate.decodeEmbedAnswer(answer, model, asked.encoding_format === 'base64');
  },
};

const predictedInputs: NonNullable<FamilyShape['inputs']> = {
  says: ['task_type', 'title', 'auto_truncate'],
  encode(inputs) {
    const instances = inputs.map(({ text: content, taskType: task_type, title }) => ({ content, task_type, title }));
    const isAsked = inputs.some(({ autoTruncate }) => autoTruncate !== undefined);
    // One word for all of them: what somebody wants whole is not cut.
    const autoTruncate = isAsked ? inputs.every((input) => input.autoTruncate !== false) : undefined;
    return { instances, parameters: { outputDimensionality: inputs[0]?.outputDimensionality, autoTruncate } };
  },
};

/** `:predict` of a text embedding model. */
const predictedEmbeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode(body) {
    const parameters = body.dimensions === undefined ? {} : { outputDimensionality: body.dimensions };
    return { instances: inputTexts(body).map((content) => ({ content })), parameters };
  },
  decode(answer, { model }, asked) {
    if (failed(answer) || !Array.isArray(answer.predictions)) return answer;
    const predictions = asObjects(answer.predictions);
    const counts = predictions.map((each) => asNumber(inside(each, 'embeddings', 'statistics', 'token_count')) || 0);
    const vectors = predictions.map((each) => inside(each, 'embeddings', 'values'));
    return embeddingList({ vectors, model, tokens: counts.reduce((sum, count) => sum + count, 0) }, asked);
  },
};

/** Are texts embedded by `:batchEmbedContents` at the cloud? Models since the second of the name are refused by `:predict`. */
export function embedsInBatches(model: string): boolean {
  return model.startsWith('gemini') && model !== 'gemini-embedding-001';
}

/** The same as by key, but for the place of what is said beside the text. */
function batch(inputs: readonly geminiGenerate.EmbedInput[]): JsonObject {
  const requests = inputs.map(({ text, ...told }) => {
    const embedContentConfig = defined(told);
    const isSilent = Object.keys(embedContentConfig).length === 0;
    return { content: { role: 'user', parts: [{ text }] }, ...(isSilent ? {} : { embedContentConfig }) };
  });
  return { requests };
}

/** Of the cloud's models, the newer and the older ones. */
export const cloudEmbeddings: FamilyShape = {
  refuses: notOnlyTexts,
  encode(body, call) {
    if (!embedsInBatches(call.model)) return predictedEmbeddings.encode(body, call);
    const outputDimensionality = body.dimensions === undefined ? undefined : asNumber(body.dimensions);
    return batch(inputTexts(body).map((text) => ({ text, outputDimensionality })));
  },
  inputs: {
    says: predictedInputs.says,
    encode: (inputs, call) => (embedsInBatches(call.model) ? batch(inputs) : predictedInputs.encode(inputs, call)),
  },
  decode: (answer, call, asked) =>
    (embedsInBatches(call.model) ? batchEmbeddings : predictedEmbeddings).decode(answer, call, asked),
};

/** Picture models that answer like a chat. */
export function drawsInChat(model: string): boolean {
  return model.startsWith('gemini');
}

/** `:predict` of a picture model, or `:generateContent` of a chat model that draws. */
export const drawnPictures: FamilyShape = {
  refuses: (body, { model }) => tooManyPictures(body, drawsInChat(model) ? 1 : mostDrawn),
  encode(body, { model }) {
    const prompt = asWord(body.prompt);
    if (drawsInChat(model)) {
      const imageConfig = { aspectRatio: aspectRatio(body) };
      const generationConfig = {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(sizeAsked(body) === undefined ? {} : { imageConfig }),
      };
      return { contents: [{ role: 'user', parts: [{ text: prompt }] }], generationConfig };
    }
    const parameters = { sampleCount: pictureCount(body), aspectRatio: aspectRatio(body), personGeneration: 'allow_adult' };
    return { instances: [{ prompt }], parameters };
  },
  decode(answer) {
    if (failed(answer)) return answer;
    if (Array.isArray(answer.candidates)) return { ...chatPictures(answer), ...chatUsage(answer) };
    if (!Array.isArray(answer.predictions)) return answer;
    return pictureList(
      asObjects(answer.predictions).map(({ bytesBase64Encoded }) => bytesBase64Encoded),
      pictureTokens,
    );
  },
};

function chatPictures(answer: JsonObject): JsonObject {
  const parts = asObjects(answer.candidates).flatMap((candidate) => asObjects(inside(candidate, 'content', 'parts')));
  return pictureList(parts.map((part) => inside(part, 'inlineData', 'data')));
}

function chatUsage(answer: JsonObject): JsonObject {
  const figure = (name: string) => asCount(inside(answer, 'usageMetadata', name)) ?? 0;
  const prompt = figure('promptTokenCount');
  const completion = figure('candidatesTokenCount') + figure('thoughtsTokenCount');
  if (prompt + completion === 0) return {};
  const details = asObjects(inside(answer, 'usageMetadata', 'candidatesTokensDetails'));
  const drawn = asCount(details.find(({ modality }) => modality === 'IMAGE')?.tokenCount) ?? 0;
  return pictureUsage(prompt, completion, drawn);
}
