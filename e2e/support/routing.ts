import type { Channel, ChannelInput, RouteExplanation, RouteRecord } from '@tollgate/contract';
import type { Console } from './console-client.ts';
import type { Gateway } from './gateway.ts';
import { postJson } from './post-json.ts';
import { eventually } from './wait.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly requestId: string;
  readonly ms: number;
}

interface Question {
  readonly model: string;
  readonly key: string;
  /** Makes a conversation of its own. */
  readonly words?: string;
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

/** One chat call, read to its end; status 0 when the connection failed. */
export async function ask(gateway: Gateway, { model, key, words = 'hi', stream = false, signal }: Question): Promise<Answered> {
  const startedMs = performance.now();
  try {
    const body = { model, stream, messages: [{ role: 'user', content: words }] };
    const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, body, { signal: signal ?? null });
    const text = await answer.text();
    const requestId = answer.headers.get('x-oneapi-request-id') ?? '';
    return { status: answer.status, text, requestId, ms: performance.now() - startedMs };
  } catch (error) {
    return { status: 0, text: String(error), requestId: '', ms: performance.now() - startedMs };
  }
}

/** The log row of a call and what is recorded of its route. */
export async function routeOf(root: Console, requestId: string): Promise<RouteRecord> {
  const row = (await root.logs()).find(({ request_id }) => request_id === requestId);
  if (row === undefined) throw new Error(`no log row of ${requestId}`);
  return root.call<RouteRecord>('GET', `/api/log/${row.id}/route`);
}

export function explain(root: Console, body: Record<string, unknown>): Promise<RouteExplanation> {
  return root.call<RouteExplanation>('POST', '/api/route/explain', body);
}

/** Makes a channel and waits until calls can go to it. */
export async function addServing(root: Console, input: Partial<ChannelInput> & { models: string }): Promise<Channel> {
  const channel = await root.addChannel(input);
  await eventually(async () => {
    const { candidates } = await explain(root, { model: input.models, group: input.group ?? 'default' });
    if (!candidates.some(({ channel_id, reason }) => channel_id === channel.id && reason !== 'unusable'))
      throw new Error(`channel ${channel.id} does not serve yet`);
  });
  return channel;
}
