import { expect, test, vi } from 'vitest';
import type { Authenticated } from '../authenticate.ts';
import type { TaskRequest } from './request.ts';
import { streamVideo } from './video-content.ts';

test('for a caller who left before the upstream was asked nothing is fetched, and no place is kept', async () => {
  const channel = { id: 5, type: 1, key: 'k', keys: [], baseUrl: 'http://upstream', setting: {}, headerOverride: {} };
  const task = { channelId: 5, keyId: 'k', platform: 'video', state: { status: 'SUCCESS', upstreamId: 'v1' } };
  const send = vi.fn();
  const request = {
    parts: {
      ...{ tasks: { find: async () => [task] }, anyChannel: async () => channel, upstream: { send }, env: {} },
      ...{ clock: { monotonicMs: () => 0 }, active: { add: () => undefined, remove: () => undefined } },
    },
    ...{ query: undefined, endpoint: { id: 'v1' }, caller: { gone: true, onGone: () => undefined } },
  } as unknown as TaskRequest;
  await streamVideo(request, { key: { user: { id: 7 } } } as Authenticated);
  expect(send).not.toHaveBeenCalled();
});
