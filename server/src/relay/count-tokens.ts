import { anthropicMessages, type chat, geminiGenerate, type JsonObject } from '@tollgate/wire';
import type { Authenticated } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { checkKey } from './check-key.ts';
import { localFault } from './faults.ts';
import type { RelayParts } from './parts.ts';
import { promptSizeOfBody } from './prompt-size.ts';

interface Counting {
  decode(body: JsonObject, model: string | undefined): chat.Decoded;
  answer(tokens: number): JsonObject;
}

const dialects: Readonly<Record<string, Counting>> = {
  'anthropic-messages': { decode: anthropicMessages.decodeCountTokens, answer: anthropicMessages.countTokensAnswer },
  'gemini-generate': {
    decode: (body, model) => geminiGenerate.decodeCountTokens(body, { model }),
    answer: geminiGenerate.countTokensAnswer,
  },
};

/**
 * Says how big a prompt is, with our own tokenizer: no upstream is asked and nothing is charged. The header says so,
 * since vendors count a little differently. Throws RelayFault.
 */
export async function countTokens(
  parts: RelayParts,
  arrival: { readonly id: string; readonly ip: string },
  { key }: Authenticated,
  caller: Caller,
  request: { readonly protocol: string; readonly model: string | undefined; readonly bytes: Buffer },
): Promise<void> {
  const counting = dialects[request.protocol];
  if (counting === undefined) throw localFault('api_not_implemented');
  const body = parsed(request.bytes);
  const decoded = counting.decode(body, request.model);
  if (!decoded.ok) throw localFault('invalid_text_request', { reason: decoded.reason });
  const { model } = decoded.request;
  checkKey(key, arrival.ip, model);
  const { options } = parts.snapshot();
  const pass = await parts.limiter.enter({ callId: arrival.id, key, options, tokens: 0 });
  try {
    const size = promptSizeOfBody((body.generateContentRequest ?? body) as JsonObject);
    const { counts, counted } = await parts.tokenizer.count(model, [...size.texts]);
    const tokens = counts.reduce((sum, count) => sum + count, size.tokens);
    caller.note('x-tollgate-counted', counted ? 'tokenizer' : 'estimate');
    for (const [name, value] of pass?.headers ?? []) caller.note(name, value);
    caller.answer(200, JSON.stringify(counting.answer(tokens)));
  } finally {
    pass?.leave();
  }
}

function parsed(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Told below.
  }
  throw localFault('invalid_request', { reason: 'the body is no JSON object' });
}
