import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';

export interface TalkEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

export interface Talk {
  readonly client: OpenAIRealtimeWS;
  readonly events: readonly TalkEvent[];
  /** What came with the 101. */
  readonly opened: Promise<IncomingHttpHeaders>;
  /** The first event from here on that fits. */
  next(type: string): Promise<TalkEvent>;
  /** One answer, to its end. */
  turn(): Promise<TalkEvent>;
  closed(): Promise<{ code: number; reason: string }>;
}

export interface TalkOptions {
  /** Of the gateway. */
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

/** The vendor's own client on a realtime session; it wants TLS, which is left out of the connection here. */
export function talkTo({ url, key, model }: TalkOptions): Talk {
  const address = new URL(url);
  const createConnection = () => connect(Number(address.port), address.hostname);
  const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1` });
  const client = new OpenAIRealtimeWS({ model, options: { createConnection } }, openai);
  const events: TalkEvent[] = [];
  let at = 0;
  let wake: () => void = () => undefined;
  client.on('event', (event) => {
    events.push(event as unknown as TalkEvent);
    wake();
  });
  client.on('error', () => wake());
  const closing = once(client.socket, 'close').then(([code, reason]) => {
    wake();
    return { code: code as number, reason: String(reason) };
  });
  const opened = once(client.socket, 'upgrade').then(([answer]) => (answer as IncomingMessage).headers);
  // Who is refused has no opening; the next event says so.
  opened.catch(() => undefined);
  const next = async (type: string): Promise<TalkEvent> => {
    for (;;) {
      const found = events.slice(at).findIndex((event) => event.type === type);
      if (found >= 0) {
        at += found + 1;
        return events[at - 1] as TalkEvent;
      }
      if (client.socket.readyState === WebSocket.CLOSED)
        throw new Error(`closed before ${type}; last: ${JSON.stringify(events.at(-1))}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    client,
    events,
    opened,
    next,
    turn() {
      client.send({ type: 'response.create' });
      return next('response.done');
    },
    closed: () => closing,
  };
}
