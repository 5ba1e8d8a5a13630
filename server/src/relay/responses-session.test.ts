import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { captureLog } from '../../test/capture-log.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { listening } from '../../test/listening.ts';
import { createSocketDoor } from '../platform/http/accept-socket.ts';
import type { Serve } from '../platform/http/served.ts';
import { createBodyBudget } from './body-budget.ts';
import type { RelayParts } from './parts.ts';
import { type Opening, ResponsesSession } from './responses-session.ts';

test('a call whose caller leaves while it is looked up what it continues is never made', async () => {
  const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  const find = () => {
    asked.resolve();
    return found.promise;
  };
  const parts = {
    ...{ clock: new FakeClock(0), log: captureLog(), bodies: createBodyBudget(1e6), accepting: () => true },
    responseOwners: { find },
  } as unknown as RelayParts;
  const relay = vi.fn<Serve>((_request, answer) => {
    answer.head(200, {});
    answer.end('data: {"type":"response.completed","response":{"id":"resp_1"}}\n\n');
  });
  const opening: Opening = { id: 'id', userId: 1, request: { url: '/v1/responses', headers: {}, socket: {} } };
  const door = createSocketDoor({ subprotocol: 'realtime' });
  const server = createServer();
  const opened = new Promise<ResponsesSession>((resolve) => {
    server.on('upgrade', async (request, socket, head) => {
      const accepted = await door.accept(request, socket, head);
      if (accepted !== undefined) resolve(new ResponsesSession(parts, relay, opening, accepted));
    });
  });
  const caller = new WebSocket(`ws://127.0.0.1:${await listening(server)}/`);
  onTestFinished(() => void server.close());
  await once(caller, 'open');
  const session = await opened;
  const say = (more: object) => caller.send(JSON.stringify({ type: 'response.create', model: 'm', input: 'hi', ...more }));
  say({});
  await once(caller, 'message');
  say({ previous_response_id: 'resp_1' });
  await asked.promise;
  caller.terminate();
  await session.over;
  found.resolve(undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(relay).toHaveBeenCalledOnce();
});
