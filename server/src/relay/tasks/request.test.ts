import { expect, test } from 'vitest';
import type { ServedRequest } from '../../platform/http/served.ts';
import type { Caller } from '../caller.ts';
import type { RelayParts } from '../parts.ts';
import { taskRequest } from './request.ts';
import { findTaskEndpoint } from './routes.ts';

test('the address that a caller is shown begins as the one that it wrote, also where a proxy ends its encryption', () => {
  const endpoint = findTaskEndpoint('GET', '/mj/task/1/fetch') ?? expect.fail();
  const arrival = { id: 'r', ip: '', startedMonotonicMs: 0, query: undefined, body: { bytes: 0 } };
  const served = { headers: { host: 'ai.example.com' }, socket: {} } as unknown as ServedRequest;
  const originOver = (isHttps: boolean) =>
    taskRequest(
      { env: {}, isHttps: () => isHttps } as unknown as RelayParts,
      served,
      {} as Caller,
      arrival,
      endpoint,
      () => undefined,
    ).origin;
  expect([originOver(true), originOver(false)]).toEqual(['https://ai.example.com', 'http://ai.example.com']);
});
