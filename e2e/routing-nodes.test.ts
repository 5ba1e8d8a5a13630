import { expect, test } from 'vitest';
import { gatewayOn, onPostgres } from './support/engine.ts';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ask } from './support/routing.ts';
import { eventually } from './support/wait.ts';

/** Without a bus every node looks once a second. */
const convergenceMs = 5_000;

onPostgres((_name, _open, kit) => {
  test('a channel switched on one node is gone from the other within seconds', async () => {
    const upstream = await startMockUpstream();
    const first = await gatewayOn(kit);
    const { DATA_DIR: _own, ...shared } = first.env;
    const second = await startGateway(shared);
    const root = await first.root();
    const channel = await root.addChannel({ base_url: upstream.url, models: 'gpt-4o-mini' });
    const { key } = await root.addToken();
    const statusAt = async (gateway: typeof first) => (await ask(gateway, { model: 'gpt-4o-mini', key })).status;
    await eventually(async () => expect([await statusAt(first), await statusAt(second)]).toEqual([200, 200]));
    const changedMs = performance.now();
    await root.call('PUT', '/api/channel/', { id: channel.id, status: 2 });
    expect(await statusAt(first)).toBe(503);
    await eventually(async () => expect(await statusAt(second)).toBe(503), convergenceMs);
    expect(performance.now() - changedMs).toBeLessThan(convergenceMs);
    await second.stop();
    await first.stop();
    await upstream.close();
  });
});
