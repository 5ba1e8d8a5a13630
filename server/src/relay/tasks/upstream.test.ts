import { expect, test } from 'vitest';
import type { RouteChannel } from '../../routing/index.ts';
import { type TaskUpstream, taskUpstream, upstreamRequest } from './upstream.ts';

const channel = { id: 4, baseUrl: '', key: 'k', organization: 'org-1', headerOverride: {}, setting: {} };
const upstreamOf = (type: number, platform: 'video' | 'mj') =>
  taskUpstream({ ...channel, type } as unknown as RouteChannel, platform) as TaskUpstream;
const asked = (upstream: TaskUpstream) => upstreamRequest(upstream, { method: 'GET', path: '/x' })?.headers;

test('work in the background is done for the organization that calls are made for', () => {
  expect(asked(upstreamOf(1, 'video'))).toMatchObject({ authorization: 'Bearer k', 'openai-organization': 'org-1' });
  expect(asked(upstreamOf(2, 'mj'))).not.toHaveProperty('openai-organization');
});
