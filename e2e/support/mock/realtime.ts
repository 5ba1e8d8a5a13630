import { createServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { listening } from '../../../server/test/listening.ts';

type Json = Record<string, unknown>;

/** How the next turn goes. */
export interface RealtimeTurn {
  /** Pieces of text. */
  readonly words?: readonly string[];
  /** Bytes of sound. */
  readonly soundBytes?: number;
  /** Null: the upstream does not say. Default: by what was said. */
  readonly usage?: Json | null;
  /** Nothing comes after the pieces; with a code the socket is closed then, `cut` without a word. */
  readonly stop?: 'hang' | 'cut' | number;
  readonly closeReason?: string;
  /** Sent as it is before the end of the turn. */
  readonly more?: readonly Json[];
}

export interface RealtimeOpening {
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly heard: Json[];
  /** Of the monotonic clock; undefined while open. */
  closedMs: number | undefined;
  readonly socket: WebSocket;
}

export interface RealtimeMock {
  /** http origin. */
  readonly url: string;
  readonly openings: readonly RealtimeOpening[];
  /** One turn each, then the usual ones again. */
  script(turns: readonly RealtimeTurn[]): void;
  /** Openings are answered with this instead; undefined = they are let in. */
  refuse(answer: { status: number; body: Json } | undefined): void;
  close(): Promise<void>;
}

const usualTurn: RealtimeTurn = { words: ['Hel', 'lo'] };

/** A real WebSocket server on 127.0.0.1 that plays an upstream of realtime sessions. */
export async function startRealtimeMock(): Promise<RealtimeMock> {
  const openings: RealtimeOpening[] = [];
  let queue: RealtimeTurn[] = [];
  let refusal: { status: number; body: Json } | undefined;
  const server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (refusal !== undefined) {
      const body = JSON.stringify(refusal.body);
      const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
      socket.end(`HTTP/1.1 ${refusal.status} No\r\n${headers}\r\n\r\n${body}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      const opening = { url: request.url ?? '', headers: request.headers, heard: [], closedMs: undefined, socket: accepted };
      openings.push(opening);
      converse(opening, () => queue.shift() ?? usualTurn);
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    openings,
    script(turns) {
      queue = [...turns];
    },
    refuse(answer) {
      refusal = answer;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(opening: RealtimeOpening, nextTurn: () => RealtimeTurn): void {
  const { socket, heard } = opening;
  let count = 0;
  const send = (event: Json) => socket.send(JSON.stringify({ event_id: `event_${count}`, ...event }));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    opening.closedMs = performance.now();
  });
  socket.on('message', (data) => {
    const event = JSON.parse(String(data)) as Json;
    heard.push(event);
    if (event.type === 'session.update') send({ type: 'session.updated', session: event.session });
    if (event.type !== 'response.create') return;
    count += 1;
    speak(socket, `resp_${count}`, nextTurn(), send);
  });
  send({ type: 'session.created', session: { id: 'sess_1', type: 'realtime' } });
}

function speak(socket: WebSocket, id: string, turn: RealtimeTurn, send: (event: Json) => void): void {
  const { words = [], soundBytes = 0, stop, more = [] } = turn;
  send({ type: 'response.created', response: { id, object: 'realtime.response', status: 'in_progress', usage: null } });
  for (const delta of words) send({ type: 'response.output_text.delta', response_id: id, delta });
  if (soundBytes > 0) {
    const delta = Buffer.alloc(soundBytes).toString('base64');
    send({ type: 'response.output_audio.delta', response_id: id, delta });
  }
  if (stop !== undefined) {
    if (stop === 'cut') socket.terminate();
    else if (stop !== 'hang') socket.close(stop, turn.closeReason);
    return;
  }
  for (const event of more) send(event);
  const usage = turn.usage === undefined ? usageOf(10, words.length) : turn.usage;
  send({ type: 'response.done', response: { id, object: 'realtime.response', status: 'completed', usage } });
}

/** A `usage` object of text, and of sound where given. */
export function usageOf(input: number, output: number, sound: { heard?: number; spoken?: number } = {}): Json {
  const { heard = 0, spoken = 0 } = sound;
  return {
    total_tokens: input + output + heard + spoken,
    input_tokens: input + heard,
    output_tokens: output + spoken,
    input_token_details: { cached_tokens: 0, text_tokens: input, audio_tokens: heard },
    output_token_details: { text_tokens: output, audio_tokens: spoken },
  };
}
