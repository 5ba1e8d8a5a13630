import OpenAI from 'openai';
import type { ResponsesClientEvent } from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { expect, onTestFinished } from 'vitest';
import type { Gateway } from './gateway.ts';

type Create = Omit<Extract<ResponsesClientEvent, { type: 'response.create' }>, 'type'>;
type Json = Record<string, unknown>;

const ends = ['response.completed', 'response.incomplete', 'response.failed', 'error'];

/** The official client, and what it hears. */
export function talkTo(gateway: Pick<Gateway, 'url'>, apiKey: string) {
  const socket = new ResponsesWS(new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }));
  onTestFinished(() => socket.close());
  const heard: Json[] = [];
  const closed: number[] = [];
  socket.on('event', (event) => heard.push(event as unknown as Json));
  socket.on('error', () => undefined);
  socket.on('close', (code) => closed.push(code));
  const send = (event: Create) => socket.send({ type: 'response.create', ...event });
  const isEnd = ({ type }: Json) => ends.includes(String(type));
  const ended = async (count: number) => {
    await expect.poll(() => heard.filter(isEnd).length).toBe(count);
    return heard.filter(isEnd).at(-1) as { response: Json & { id: string; output: Json[] }; error: Json; status: number };
  };
  const turn = async (event: Create) => {
    const count = heard.filter(isEnd).length;
    send(event);
    return ended(count + 1);
  };
  return { socket, heard, closed, send, turn, ended };
}
