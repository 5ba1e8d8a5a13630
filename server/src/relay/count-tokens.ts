import {
  anthropicMessages,
  geminiGenerate,
  type JsonObject,
  openaiResponses,
  parseObject,
  type RequestPeek,
} from '@tollgate/wire';
import type { Protocol } from '../providers/index.ts';
import type { Authenticated } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { checkKey } from './check-key.ts';
import { continuedBy } from './continued-response.ts';
import { type CountInquiry, countUpstream } from './count-upstream.ts';
import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { promptSizeOfBody } from './prompt-size.ts';

interface CountRequest extends Pick<CountInquiry, 'query' | 'header'> {
  readonly protocol: Protocol;
  /** What the path says. */
  readonly model: string | undefined;
  readonly bytes: Buffer;
}

interface Prompt {
  readonly model: string;
  /** Of a dialect whose prompts may go on from what an upstream keeps. */
  readonly peek?: RequestPeek;
}

interface Counting {
  decode(
    body: JsonObject,
    model: string | undefined,
    bytes: Buffer,
  ): { readonly ok: true; readonly request: Prompt } | { readonly ok: false; readonly reason: string };
  answer(tokens: number): JsonObject;
  /** The caller's bytes for an upstream that calls the model so. */
  bodyFor(bytes: Buffer, body: JsonObject, model: string): Buffer;
  read(answer: JsonObject): number | undefined;
}

const dialects: Readonly<Record<string, Counting>> = {
  'anthropic-messages': {
    decode: anthropicMessages.decodeCountTokens,
    answer: anthropicMessages.countTokensAnswer,
    bodyFor(bytes, _body, model) {
      const result = anthropicMessages.dialect.peekRequest(bytes);
      return result.ok ? anthropicMessages.countTokensRequest(bytes, result.peek, model) : bytes;
    },
    read: anthropicMessages.readCountTokens,
  },
  'gemini-generate': {
    decode: (body, model) => geminiGenerate.decodeCountTokens(body, { model }),
    answer: geminiGenerate.countTokensAnswer,
    bodyFor: geminiGenerate.countTokensBody,
    read: geminiGenerate.readCountTokens,
  },
  'openai-responses': {
    decode(_body, _model, bytes) {
      const result = openaiResponses.dialect.peekRequest(bytes);
      return result.ok ? { ok: true, request: { model: result.peek.model, peek: result.peek } } : result;
    },
    answer: openaiResponses.countTokensAnswer,
    bodyFor(bytes, _body, model) {
      const result = openaiResponses.dialect.peekRequest(bytes);
      return result.ok ? openaiResponses.countTokensRequest(bytes, result.peek, model) : bytes;
    },
    // It says it by the same member.
    read: anthropicMessages.readCountTokens,
  },
};

/**
 * Says how big a prompt is, as an upstream of the model counts it where one speaks the dialect, else by our own tokenizer;
 * the header says who counted. Nothing is charged. Throws RelayFault.
 */
export async function countTokens(
  parts: RelayParts,
  arrival: { readonly id: string; readonly ip: string },
  who: Authenticated,
  caller: Caller,
  request: CountRequest,
): Promise<void> {
  const counting = dialects[request.protocol];
  if (counting === undefined) throw localFault('api_not_implemented');
  const body = parseObject(request.bytes.toString('utf8'));
  if (body === undefined) throw localFault('invalid_request', { reason: 'the body is no JSON object' });
  const decoded = counting.decode(body, request.model, request.bytes);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { model, peek } = decoded.request;
  const { key } = who;
  checkKey(key, arrival.ip, model);
  const snapshot = parts.snapshot();
  const { options } = snapshot;
  const pass = await parts.limiter.enter({ callId: arrival.id, key, options, tokens: 0 });
  try {
    const { protocol, query, header, bytes } = request;
    const { responseOwners } = parts;
    const continues = peek && (await continuedBy(responseOwners, key.user.id, { protocol, bytes, peek }));
    const inquiry = {
      protocol,
      model,
      query,
      header,
      continues,
      read: counting.read,
      bodyFor: (name: string) => counting.bodyFor(bytes, body, name),
    };
    const told = await countUpstream(parts, snapshot, who, inquiry);
    if (told === undefined && continues !== undefined) throw localFault('state_not_kept', { field: continues.field });
    const counted = told === undefined ? await countHere(parts, model, body) : undefined;
    caller.note('x-tollgate-counted', counted?.by ?? 'upstream');
    for (const [name, value] of pass?.headers ?? []) caller.note(name, value);
    caller.answer(200, told ?? JSON.stringify(counting.answer(counted?.tokens ?? 0)));
    pass?.settle(0, 0);
  } finally {
    pass?.leave();
  }
}

async function countHere({ tokenizer }: Pick<RelayParts, 'tokenizer'>, model: string, body: JsonObject) {
  const size = promptSizeOfBody(geminiGenerate.countedRequest(body), model);
  const { counts, counted } = await tokenizer.count(model, [...size.texts]);
  return { tokens: counts.reduce((sum, count) => sum + count, size.tokens), by: counted ? 'tokenizer' : 'estimate' };
}
