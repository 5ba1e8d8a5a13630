import type { EngineKit } from '../../server/test/engines.ts';
import { type BookedRow, openBooks } from '../support/books.ts';
import type { Console } from '../support/console-client.ts';
import { gatewayOn } from '../support/engine.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { MockAnswer } from '../support/mock/dialect.ts';
import { type RealtimeMock, startRealtimeMock } from '../support/mock/realtime.ts';
import type { Told } from '../support/mock/vendors/facts.ts';
import { vendorRoutes } from '../support/mock/vendors/index.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { explain } from '../support/routing.ts';
import { eventually } from '../support/wait.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { pngBase64 } from './rows/samples.ts';

/**
 * What the upstream speaks: one channel each, of types and models that are spoken to in one dialect only and take whatever
 * it can say, and further ones that a failing call may spoil.
 */
export const columns = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type Column = (typeof columns)[number];

const channels: Readonly<Record<Column, { readonly type: number; readonly base: string; readonly model: string }>> = {
  'openai-chat': { type: 1020, base: 'chat', model: 'mercury-2' },
  'openai-responses': { type: 1, base: 'responses', model: 'computer-use-preview' },
  'anthropic-messages': { type: 14, base: 'messages', model: 'claude-sonnet-4-6' },
  'gemini-generate': { type: 24, base: 'gemini', model: 'gemini-2.5-flash' },
};

/** Each failure has a channel of its own, so that none is cooled down or broken for the others. */
export const spoils = ['400', '401', '429', '503', '529', 'cut', 'aborted'] as const;
export type Spoil = (typeof spoils)[number];

export function modelOf(column: Column, spoil?: Spoil): string {
  const { model } = channels[column];
  return spoil === undefined ? model : `${model}-${spoil}`;
}

/** As the documentation names them. */
const documentedModels: readonly (readonly [model: string, column: Column])[] = [
  ['gpt-4o-mini', 'openai-chat'],
  ['gpt-5-codex', 'openai-responses'],
];

/** Models that refuse what the others of their vendor take, with the type of their channel. */
export const choosyModels: readonly (readonly [model: string, type: number])[] = [
  ['gpt-5.4', 1],
  ['gpt-5.6-sol', 1],
  ['gpt-6-astra', 1],
  ['claude-opus-5-5', 14],
  ['claude-fable-5-1', 14],
];

/** Models of the families, with the type of the channel that serves them. */
const familyModels: readonly (readonly [model: string, type: number])[] = [
  ['text-embedding-3-small', 1],
  ['gemini-embedding-001', 24],
  ['embed-v4.0', 34],
  ['gpt-image-2', 1],
  ['dall-e-2', 1],
  ['gemini-3.1-flash-image', 24],
  ['omni-moderation-latest', 1],
  ['gpt-6-luna', 1],
  ['gpt-4o-mini-tts', 1],
  ['whisper-1', 1],
  ['gpt-4o-transcribe', 1],
  ['gpt-3.5-turbo-instruct', 1],
  ['rerank-v3.5', 34],
  ['bge-reranker-v2-m3', 1014],
];

/** Of sessions; sound costs so much more than text, and spoken sound once more. */
export const talkingModel = 'gpt-realtime';
export const soundRatios = { heard: 8, spoken: 2 };

const ratios = { ModelRatio: 3, CompletionRatio: 4, CacheRatio: 0.1, CreateCacheRatio: 2, CreateCacheRatio1h: 3 };

/** What a call costs whose upstream told these figures, at the prices of this world. */
export function costOf({ prompt, cached, write5m, write1h, completion }: Told): number {
  const read = prompt - cached - write5m - write1h + cached * ratios.CacheRatio;
  const written = write5m * ratios.CreateCacheRatio + write1h * ratios.CreateCacheRatio1h;
  const weighted = read + written + completion * ratios.CompletionRatio;
  return Math.floor(weighted * ratios.ModelRatio + 0.5 + 1e-9);
}

/** A gateway whose upstream is at an address, and its books. */
export interface Front {
  readonly gateway: Gateway;
  readonly root: Console;
  readonly key: string;
  /** The charged rows of a call, or of the turns of a session. */
  rowsOf(requestId: string): Promise<readonly BookedRow[]>;
  balance(): Promise<number>;
  stop(): Promise<void>;
}

export interface World extends Front {
  readonly mock: MockUpstream;
  readonly recorder: Recorder;
  /** The upstream of sessions. */
  readonly talker: RealtimeMock;
}

interface ChannelLine {
  /** Default: the upstream that everybody shares. */
  readonly origin?: string;
  readonly type: number;
  /** Below the upstream's origin. */
  readonly base: string;
  readonly models: readonly string[];
}

/** One gateway before one upstream that speaks everything. */
export async function startWorld(kit?: EngineKit): Promise<World> {
  const picture: MockAnswer = { status: 200, contentType: 'image/png', pieces: [Buffer.from(pngBase64, 'base64')], paced: false };
  const mock = await startMockUpstream({ dialects: [...vendorRoutes, ['GET /a.png', () => picture]] });
  const chat = Object.values(channels).flatMap(({ type, base, model }) =>
    [model, ...spoils.map((spoil) => `${model}-${spoil}`)].map((name): ChannelLine => ({ type, base, models: [name] })),
  );
  const documented = documentedModels.map(([name, column]): ChannelLine => ({ ...channels[column], models: [name] }));
  const choosy = choosyModels.map(([model, type]): ChannelLine => ({ type, base: `choosy-${type}`, models: [model] }));
  const beside = familyModels.map(([model, type]): ChannelLine => ({ type, base: `family-${type}`, models: [model] }));
  const talker = await startRealtimeMock();
  const talking: ChannelLine = { type: 1, origin: talker.url, base: '', models: [talkingModel] };
  const env = { EGRESS_REWRITE: `pictures.test=${mock.url}` };
  const front = await startFront(mock.url, [...chat, ...documented, ...choosy, ...beside, talking], { kit, env });
  // What the vendors tell of a transcript knows no sound.
  await front.root.setOption('AudioRatio', { [talkingModel]: soundRatios.heard, 'gpt-4o-transcribe': 1 });
  await front.root.setOption('AudioCompletionRatio', { [talkingModel]: soundRatios.spoken });
  const recorder = startRecorder(front.gateway.url);
  return {
    ...front,
    mock,
    recorder,
    talker,
    async stop() {
      recorder.stop();
      await front.stop();
      await mock.close();
      await talker.close();
    },
  };
}

/** A channel per dialect, each with so many models: `modelOf(column)` and a number. */
export function numberedChannels(count: number): ChannelLine[] {
  const numbers = Array.from({ length: count }, (_, k) => k);
  return Object.values(channels).map(({ type, base, model }) => ({ type, base, models: numbers.map((k) => `${model}-${k}`) }));
}

/** Starts the gateway with these channels, all at the prices of `costOf`. */
export async function startFront(
  upstream: string,
  lines: readonly ChannelLine[],
  { kit, env = {} }: { readonly kit?: EngineKit; readonly env?: Record<string, string> } = {},
): Promise<Front> {
  const gateway = await (kit === undefined ? startGateway(env) : gatewayOn(kit, env));
  const root = await gateway.root();
  for (const { type, base, models, origin = upstream } of lines) {
    const channel = { type, name: models[0] ?? '', base_url: `${origin}/${base}`, models: models.join(',') };
    await root.call('POST', '/api/channel/', { ...channel, key: 'upstream-key-0001', group: 'default' });
  }
  const names = lines.flatMap(({ models }) => models);
  for (const [option, ratio] of Object.entries(ratios)) {
    await root.setOption(option, Object.fromEntries(names.map((name) => [name, ratio])));
  }
  await eventually(() => serves(root, names.at(-1) ?? ''));
  const key = (await root.addToken()).key;
  const books = await openBooks(gateway);
  return {
    gateway,
    root,
    key,
    rowsOf: books.rowsOf,
    balance: async () => (await root.self()).quota,
    async stop() {
      await books.close();
      await gateway.stop();
    },
  };
}

async function serves(root: Console, model: string): Promise<void> {
  const { candidates } = await explain(root, { model, group: 'default' });
  if (!candidates.some(({ reason }) => reason !== 'unusable')) throw new Error(`${model} is not served yet`);
}
