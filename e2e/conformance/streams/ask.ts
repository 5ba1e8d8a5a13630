import type { BookedRow } from '../../support/books.ts';
import { type Column, columns, type Front } from '../world.ts';
import { callers, readStream } from './dialects.ts';

/** Whoever calls, and in which dialect the upstream is asked: natively, and across. */
export const pairs: readonly (readonly [caller: Column, upstream: Column])[] = [
  ...columns.map((column) => [column, column] as const),
  ['openai-chat', 'anthropic-messages'],
  ['openai-chat', 'gemini-generate'],
  ['openai-chat', 'openai-responses'],
  ['anthropic-messages', 'openai-chat'],
  ['openai-responses', 'anthropic-messages'],
  ['gemini-generate', 'openai-chat'],
];
export interface Asked {
  readonly status: number;
  readonly bytes: Buffer;
  readonly text: string;
  readonly isWhole: boolean;
  readonly charged: number;
  readonly rows: readonly BookedRow[];
}

/** One call, read to its end; what it cost and its log rows. */
export async function ask(front: Front, caller: Column, model: string, stream = true): Promise<Asked> {
  const { path, body, terminator, wholeText } = callers[caller];
  const before = await front.balance();
  const answer = await fetch(front.gateway.url + path(model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${front.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body(model, stream)),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const raw = bytes.toString('utf8');
  const charged = before - (await front.balance());
  const text = stream ? readStream(callers[caller], bytes) : (wholeText(JSON.parse(raw)) ?? '');
  const rows = await front.rowsOf(answer.headers.get('x-oneapi-request-id') ?? '');
  return { status: answer.status, bytes, text, isWhole: terminator.test(raw), charged, rows };
}
