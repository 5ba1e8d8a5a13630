import { expect, test } from 'vitest';
import type { UpstreamClient } from '../../platform/http/client.ts';
import type { Authenticated } from '../authenticate.ts';
import type { TaskRequest } from './request.ts';
import { removeVideo } from './videos.ts';

/** What becomes of a video whose deletion the channel answers with this status. */
async function removed(status: number) {
  const send: UpstreamClient['send'] = (_request, sink) => {
    sink.head(status, {});
    sink.end();
    return { sent: true, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  };
  const told: unknown[] = [];
  const channel = { id: 4, type: 1, baseUrl: '', key: 'k', keys: [], organization: '', headerOverride: {}, setting: {} };
  const task = { channelId: 4, keyId: '', platform: 'video', state: { upstreamId: 'video_1', status: 'SUCCESS' } };
  const request = {
    parts: {
      upstream: { send },
      anyChannel: async () => channel,
      tasks: { find: async () => [task], hide: async () => told.push('hidden') },
    },
    caller: { answer: (code: number, text: string) => told.push(code, JSON.parse(text)) },
    endpoint: { id: 'video_1' },
  } as unknown as TaskRequest;
  const who = { key: { user: { id: 1 } } } as unknown as Authenticated;
  await removeVideo(request, who).catch(({ code }: { code: string }) => told.push(code));
  return told;
}

test('a video is gone where its channel says in any way that it is, and only there', async () => {
  const gone = ['hidden', 200, { id: 'video_1', object: 'video.deleted', deleted: true }];
  for (const status of [200, 202, 204, 404]) expect([status, await removed(status)]).toEqual([status, gone]);
  for (const status of [302, 400, 401, 429, 500])
    expect([status, await removed(status)]).toEqual([status, ['do_request_failed']]);
});
