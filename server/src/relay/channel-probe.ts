import { errorStatus, openaiChat, type WireError } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import { type Provider, providerOf } from '../providers/index.ts';
import type { RouteChannel, TestCall, TestReading } from '../routing/index.ts';
import { upstreamModel } from '../routing/index.ts';
import { RelayFault } from './faults.ts';
import { buildOutgoing, type Outgoing } from './upstream-request.ts';

const chatEnd = '/chat/completions';
const embeddingsEnd = '/embeddings';

/**
 * The request of a channel test (contract 4.8), built as the relay builds its own, and the reader of its answer. Throws
 * PublicError whose detail is the contract's text for a type that cannot be tested.
 */
export function channelTestCall(channel: RouteChannel, model: string): TestCall {
  const provider = providerOf(channel.type);
  if (provider?.untestable !== undefined) throw refused(provider.untestable);
  if (provider?.paths['openai-chat'] === undefined) throw refused(`invalid api type: ${channel.type}, adaptor is nil`);
  const sent = upstreamModel(channel.modelMapping, model);
  if (sent === undefined) throw refused('model_mapping_contains_cycle');
  const isEmbedding = embeds(sent);
  const outgoing = build(channel, provider, isEmbedding ? chatBody(sent, provider) : { ...chatBody(sent, provider), model });
  const request = isEmbedding ? toEmbeddings(outgoing, sent) : outgoing;
  return {
    request: { url: request.url, method: 'POST', headers: request.headers, body: request.body.toString() },
    read: ({ status, text }) => (status === 200 ? readSuccess(Buffer.from(text), isEmbedding) : readRefusal(status, text)),
  };
}

function build(channel: RouteChannel, provider: Provider, body: object): Outgoing {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = openaiChat.peekRequest(bytes);
  if (!result.ok) throw refused(result.reason);
  try {
    return buildOutgoing({ bytes, peek: result.peek }, channel, provider, undefined);
  } catch (error) {
    if (error instanceof RelayFault) throw refused(error.message);
    throw error;
  }
}

/** Names that only embed; everything else can hold a conversation. */
function embeds(model: string): boolean {
  return /embedding/i.test(model) || model.includes('embed') || model.includes('bge-') || model.startsWith('m3e');
}

function chatBody(model: string, provider: Provider): Record<string, unknown> {
  const body = { model, stream: false, messages: [{ role: 'user', content: 'hi' }] };
  const short = 10;
  if (/^o[13]/.test(model) || provider.capField?.(model) === 'max_completion_tokens')
    return { ...body, max_completion_tokens: short };
  if (model.includes('thinking')) return model.includes('claude') ? body : { ...body, max_tokens: 50 };
  return { ...body, max_tokens: model.includes('gemini-') ? 300 : short };
}

/** Same place, same headers, the neighbouring endpoint. */
function toEmbeddings({ url, headers }: Outgoing, model: string): Pick<Outgoing, 'url' | 'headers' | 'body'> {
  const place = new URL(url);
  if (place.pathname.endsWith(chatEnd)) place.pathname = place.pathname.slice(0, -chatEnd.length) + embeddingsEnd;
  return { url: place, headers, body: Buffer.from(JSON.stringify({ model, input: ['hello world'] })) };
}

function readSuccess(body: Buffer, isEmbedding: boolean): TestReading {
  if (isEmbedding) return readEmbedding(body);
  const answer = openaiChat.readResponse(body);
  if (answer.kind === 'answer') return { kind: 'answer', usage: answer.usage && usable(answer.usage) };
  if (answer.kind === 'invalid') return { kind: 'error', status: 502, code: '', type: '', message: 'bad response body' };
  return errorReading(errorStatus(answer.error), answer.error);
}

function readEmbedding(body: Buffer): TestReading {
  try {
    const answer = JSON.parse(body.toString()) as { data?: unknown; usage?: unknown } | null;
    if (!Array.isArray(answer?.data)) return errorReading(502, openaiChat.readError(502, body));
    const usage = openaiChat.readUsage(answer.usage);
    return { kind: 'answer', usage: usage && usable(usage) };
  } catch {
    return { kind: 'error', status: 502, code: '', type: '', message: 'bad response body' };
  }
}

type WireUsage = NonNullable<ReturnType<typeof openaiChat.readUsage>>;

function usable(usage: WireUsage): Usage | undefined {
  return usage.prompt + usage.completion > 0 ? { ...usage, source: 'upstream' } : undefined;
}

function readRefusal(status: number, text: string): TestReading {
  const error = openaiChat.readError(status, Buffer.from(text));
  const isForeign = error.code === 'bad_response_status_code' && error.message === `bad response status code ${status}`;
  return errorReading(status, isForeign && text.trim() !== '' ? { ...error, message: text } : error);
}

function errorReading(status: number, { message, type, code }: WireError): TestReading {
  return { kind: 'error', status, code: String(code ?? ''), type, message };
}

function refused(detail: string): PublicError {
  return new PublicError('channel_upstream_failed', { detail });
}
