import { type Facts, picture, type Reply, type Told, wordsOf } from '../facts.ts';
import type { StreamPiece, Vendor } from '../vendor.ts';
import { readGemini } from './request.ts';

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
const signature = Buffer.from('signature of gemini').toString('base64');

/** generateContent. */
export const geminiVendor: Vendor = { read: readGemini, whole, stream, error: geminiError };

export function geminiError(status: number, message: string): unknown {
  return { error: { code: status, message, status: statuses[status] ?? 'UNKNOWN' } };
}

function usageOf({ prompt, cached, completion, reasoning }: Told) {
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    // Here thoughts are not part of the candidates.
    candidatesTokenCount: completion - reasoning,
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
    totalTokenCount: prompt + completion,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
  };
}

function envelope(facts: Facts, candidates: readonly unknown[], usage: object) {
  return { candidates, usageMetadata: usage, modelVersion: facts.model, responseId: 'vendor1' };
}

function finishOf({ finish }: Reply): string {
  return finish === 'length' ? 'MAX_TOKENS' : 'STOP';
}

function partsOf({ thought, text, calls }: Reply, { thinking, model }: Facts): object[] {
  const shown = thinking?.isShown === true && thought !== '' ? [{ text: thought, thought: true }] : [];
  const spoken = text === '' ? [] : [{ text }];
  const drawn = model.endsWith('-image') ? [{ inlineData: { mimeType: 'image/png', data: picture } }] : [];
  return [...shown, ...spoken, ...drawn, ...calls.map((call, k) => callPart(call, k, thought !== ''))];
}

/** The first call of a turn that was thought about is signed. */
function callPart({ name, args }: Reply['calls'][number], k: number, isSigned: boolean): object {
  return { functionCall: { name, args }, ...(k === 0 && isSigned ? { thoughtSignature: signature } : {}) };
}

const blocked = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };

function whole(reply: Reply, facts: Facts): unknown {
  const usage = usageOf(reply.told);
  if (reply.refusal !== '') return { ...blocked, usageMetadata: usage, modelVersion: facts.model, responseId: 'vendor1' };
  const candidates = Array.from({ length: facts.choices }, (_, index) => ({
    content: { parts: partsOf(reply, facts), role: 'model' },
    finishReason: finishOf(reply),
    index,
    ...(facts.logprobs === undefined ? {} : logprobsOf(reply)),
  }));
  return envelope(facts, candidates, usage);
}

function logprobsOf({ text }: Reply) {
  const chosen = wordsOf(text).map((token, tokenId) => ({ token, tokenId, logProbability: -0.25 }));
  return {
    avgLogprobs: -0.25,
    logprobsResult: { chosenCandidates: chosen, topCandidates: chosen.map((each) => ({ candidates: [each] })) },
  };
}

function stream(reply: Reply, facts: Facts): StreamPiece[] {
  if (reply.refusal !== '') return [{ data: whole(reply, facts) }];
  const { told } = reply;
  const early = { promptTokenCount: told.prompt, totalTokenCount: told.prompt };
  const pieces: StreamPiece[] = [];
  const chunk = (parts: readonly object[], more: object = {}, usage: object = early) =>
    pieces.push({ data: envelope(facts, [{ content: { parts, role: 'model' }, index: 0, ...more }], usage) });
  if (facts.thinking?.isShown === true) for (const text of wordsOf(reply.thought)) chunk([{ text, thought: true }]);
  for (const [k, text] of wordsOf(reply.text).entries()) {
    if (k === reply.failsAfterWords) return [...pieces, { data: geminiError(503, 'the mock broke off') }];
    chunk([{ text }]);
  }
  for (const [k, call] of reply.calls.entries()) chunk([callPart(call, k, reply.thought !== '')]);
  chunk([{ text: '' }], { finishReason: finishOf(reply) }, usageOf(told));
  return pieces;
}
