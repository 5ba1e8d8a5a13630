import { afterAll, beforeAll, expect } from 'vitest';
import { openBooks } from './books.ts';
import type { Console } from './console-client.ts';
import { gatewayOn } from './engine.ts';
import type { Gateway } from './gateway.ts';
import { startTaskUpstream, type TaskUpstream } from './task-upstream.ts';
import { eventually } from './wait.ts';

export interface Said {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** A gateway with one upstream for drawings, music and videos, polled five times a second. */
export interface TaskWorld {
  upstream: TaskUpstream;
  gateway: Gateway;
  root: Console;
  key: string;
  call(method: string, path: string, body?: unknown, as?: string): Promise<Said>;
  /** Submits a drawing; its name. */
  imagine(prompt?: string): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  drawing(id: string): Promise<any>;
  /** The upstream has drawn it, and the gateway knows. */
  finish(id: string, fields?: Record<string, unknown>): Promise<void>;
  /** Soon nothing is held, every ref was charged once at most with one log row, and the proof is green. */
  booksAgree(timeoutMs?: number): Promise<void>;
}

const drawings =
  'mj_imagine,mj_upscale,mj_variation,mj_reroll,mj_blend,mj_describe,mj_upload,mj_shorten,mj_modal,mj_inpaint,mj_zoom,swap_face';

/** Started before the tests of a suite and stopped after them. */
export function taskWorld(kit: Parameters<typeof gatewayOn>[0]): TaskWorld {
  const world = {} as TaskWorld;
  beforeAll(async () => {
    const upstream = await startTaskUpstream();
    const egress = { EGRESS_REWRITE: `cdn.discordapp.com=${upstream.url}`, TRUSTED_PROXIES: '127.0.0.1' };
    const gateway = await gatewayOn(kit, { TASK_POLL_SECONDS: '0.2', ...egress });
    const root = await gateway.root();
    const { url: base_url } = upstream;
    await root.addChannel({ type: 5, name: 'drawings', base_url, models: drawings, key: 'mj-key-12345678' });
    await root.addChannel({ type: 36, name: 'music', base_url, models: 'suno_music,suno_lyrics', key: 'suno-key-12345678' });
    await root.addChannel({ type: 1, name: 'videos', base_url, models: 'sora-2', key: 'video-key-12345678' });
    const { key } = await root.addToken({ name: 'tasks' });
    Object.assign(world, { upstream, gateway, root, key }, talk(world));
  }, 60_000);
  afterAll(async () => {
    await world.gateway.stop();
    await world.upstream.close();
  });
  return world;
}

function talk(world: TaskWorld): Pick<TaskWorld, 'call' | 'imagine' | 'drawing' | 'finish' | 'booksAgree'> {
  const call: TaskWorld['call'] = async (method, path, body, as = world.key) => {
    const answer = await fetch(world.gateway.url + path, {
      method,
      headers: { 'mj-api-secret': as, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text };
  };
  const drawing: TaskWorld['drawing'] = async (id) => (await call('GET', `/mj/task/${id}/fetch`)).json;
  return {
    call,
    drawing,
    imagine: async (prompt = 'a cat') => (await call('POST', '/mj/submit/imagine', { prompt })).json.result as string,
    async finish(id, fields = {}) {
      const imageUrl = 'https://cdn.discordapp.com/pic.png';
      world.upstream.set(id, { status: 'SUCCESS', progress: '100%', imageUrl, ...fields });
      await eventually(async () => expect(await drawing(id)).toMatchObject({ status: 'SUCCESS' }));
    },
    async booksAgree(timeoutMs) {
      const books = await openBooks(world.gateway);
      try {
        await eventually(async () => expect(await books.openHolds()).toBe(0), timeoutMs);
        for (const [id, { transfers, logRows }] of await books.charges()) {
          // What is free has a row and no movement.
          expect([id, transfers <= 1, logRows]).toEqual([id, true, 1]);
        }
      } finally {
        await books.close();
      }
      expect(await world.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    },
  };
}
