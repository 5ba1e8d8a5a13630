import { errorStatus, upstreamDialect, type WireError } from '@tollgate/wire';
import type { Usage } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import { type Provider, providerOf, type SignTools } from '../providers/index.ts';
import type { RouteChannel, TestCall, TestReading } from '../routing/index.ts';
import { pageTitle, upstreamModel } from '../routing/index.ts';
import type { Asked, Outgoing } from './asked.ts';
import { RelayFault } from './faults.ts';
import type { Inquiry } from './inquiry.ts';
import { embeds } from './models.ts';
import { blamed } from './refusal-fault.ts';
import { surfaceOf } from './surface.ts';
import { buildOutgoing } from './upstream-request.ts';

export interface ProbeParts {
  readonly signTools: SignTools;
  readonly option: (name: string) => unknown;
}

/**
 * The request of a channel test (contract 4.8), built as the relay builds its own, and the reader of its answer. Rejects
 * with a PublicError whose detail is the contract's text for a type that cannot be tested.
 */
export async function channelTestCall(parts: ProbeParts, channel: RouteChannel, model: string): Promise<TestCall> {
  const provider = providerOf(channel.type);
  if (provider?.untestable !== undefined) throw refused(provider.untestable);
  if (provider === undefined || provider.tasksOnly === true) throw refused(`invalid api type: ${channel.type}, adaptor is nil`);
  const sent = upstreamModel(channel.modelMapping, model);
  if (sent === undefined) throw refused('model_mapping_contains_cycle');
  const { protocol, body } = question(sent, provider);
  const request = await build(parts, protocol, channel, provider, { ...body, model });
  return {
    request: {
      url: request.url,
      method: 'POST',
      headers: request.headers,
      body: request.body.toString(),
      proxy: channel.setting.proxy,
    },
    read: ({ status, text }) => {
      const bytes = Buffer.from(text);
      return status === 200 ? readSuccess(request, bytes) : readRefusal(request, provider, status, bytes);
    },
  };
}

async function build(
  { signTools, option }: ProbeParts,
  protocol: string,
  channel: RouteChannel,
  provider: Provider,
  body: object,
): Promise<Outgoing> {
  const bytes = Buffer.from(JSON.stringify(body));
  const surface = surfaceOf(protocol);
  const result = surface?.peekRequest(bytes);
  if (surface === undefined || result === undefined) throw refused('not implemented');
  if (!result.ok) throw refused(result.reason);
  const { peek } = result;
  const inquiry: Inquiry = { protocol, surface, bytes, peek, query: undefined, header: () => undefined };
  const asked: Asked = {
    inquiry,
    loweredCap: undefined,
    answerContext: { id: 'test', model: peek.model, created: 0, wantsUsage: true, promptEstimate: 1 },
    option,
    tools: signTools,
  };
  try {
    return await buildOutgoing(asked, channel, provider);
  } catch (error) {
    if (error instanceof RelayFault) throw refused(error.detail || error.message);
    throw error;
  }
}

/** What a model is for, as far as its name and its provider tell: words are ranked, embedded, or else answered. */
function question(model: string, provider: Provider): { protocol: string; body: Record<string, unknown> } {
  const { paths } = provider;
  if (/rerank/i.test(model) && paths.rerank !== undefined)
    return { protocol: 'rerank', body: { query: 'hi', documents: ['hello world'] } };
  const converses = Object.keys(paths).some((protocol) => upstreamDialect(protocol) !== undefined);
  if (embeds(model) || !converses) return { protocol: 'embeddings', body: { input: ['hello world'] } };
  return { protocol: 'openai-chat', body: chatBody(model, provider) };
}

function chatBody(model: string, provider: Provider): Record<string, unknown> {
  const body = { stream: false, messages: [{ role: 'user', content: 'hi' }] };
  const short = 10;
  if (/^o[13]/.test(model) || provider.capField?.(model) === 'max_completion_tokens')
    return { ...body, max_completion_tokens: short };
  if (model.includes('thinking')) return model.includes('claude') ? body : { ...body, max_tokens: 50 };
  return { ...body, max_tokens: model.includes('gemini-') ? 300 : short };
}

function readSuccess({ answer }: Outgoing, body: Buffer): TestReading {
  const reading = answer.readStreamed?.(body) ?? answer.read(body);
  if (reading.kind === 'error') return errorReading(errorStatus(reading.error), reading.error);
  if (reading.kind === 'pending') return { kind: 'answer', usage: undefined };
  if (reading.kind === 'invalid') return { kind: 'error', status: 502, code: '', type: '', message: 'bad response body' };
  const { usage } = reading;
  const usable: Usage | undefined =
    usage !== undefined && usage.prompt + usage.completion > 0 ? { ...usage, source: 'upstream' } : undefined;
  return { kind: 'answer', usage: usable };
}

function readRefusal({ answer }: Outgoing, provider: Provider, status: number, body: Buffer): TestReading {
  const error = answer.readError(status, body);
  const isForeign = error.code === 'bad_response_status_code' && error.message === `bad response status code ${status}`;
  const text = body.toString();
  const { code = error.code, type = error.type } = blamed(provider, error);
  const told = { ...error, code, type };
  return errorReading(status, isForeign && text.trim() !== '' ? { ...told, message: pageTitle(text) ?? text } : told);
}

function errorReading(status: number, { message, type, code }: WireError): TestReading {
  return { kind: 'error', status, code: String(code ?? ''), type, message };
}

function refused(detail: string): PublicError {
  return new PublicError('channel_upstream_failed', { detail });
}
