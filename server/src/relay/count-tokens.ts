import { anthropicMessages, type chat, geminiGenerate, type JsonObject, parseObject } from '@tollgate/wire';
import type { Authenticated } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { checkKey } from './check-key.ts';
import { type CountInquiry, countUpstream } from './count-upstream.ts';
import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { promptSizeOfBody } from './prompt-size.ts';

interface CountRequest extends Pick<CountInquiry, 'query' | 'header'> {
  readonly protocol: string;
  /** What the path says. */
  readonly model: string | undefined;
  readonly bytes: Buffer;
}

interface Counting {
  decode(body: JsonObject, model: string | undefined): chat.Decoded;
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
      return result.ok ? anthropicMessages.countTokensRequest(bytes, result.peek, { model }) : bytes;
    },
    read: anthropicMessages.readCountTokens,
  },
  'gemini-generate': {
    decode: (body, model) => geminiGenerate.decodeCountTokens(body, { model }),
    answer: geminiGenerate.countTokensAnswer,
    bodyFor(bytes, body, model) {
      const { generateContentRequest: wrapped } = body as { generateContentRequest?: JsonObject };
      if (wrapped?.model === undefined) return bytes;
      return Buffer.from(JSON.stringify({ ...body, generateContentRequest: { ...wrapped, model: `models/${model}` } }));
    },
    read: geminiGenerate.readCountTokens,
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
  const decoded = counting.decode(body, request.model);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { model } = decoded.request;
  const { key } = who;
  checkKey(key, arrival.ip, model);
  const snapshot = parts.snapshot();
  const { options } = snapshot;
  const pass = await parts.limiter.enter({ callId: arrival.id, key, options, tokens: 0 });
  try {
    const { protocol, query, header, bytes } = request;
    const inquiry = {
      protocol,
      model,
      query,
      header,
      read: counting.read,
      bodyFor: (name: string) => counting.bodyFor(bytes, body, name),
    };
    const told = await countUpstream(parts, snapshot, who, inquiry);
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
  const size = promptSizeOfBody((body.generateContentRequest ?? body) as JsonObject, model);
  const { counts, counted } = await tokenizer.count(model, [...size.texts]);
  return { tokens: counts.reduce((sum, count) => sum + count, size.tokens), by: counted ? 'tokenizer' : 'estimate' };
}
