import { expect, onTestFinished } from 'vitest';
import type { EngineKit } from '../../server/test/engines.ts';
import type { TestRedis } from '../../server/test/redis.ts';
import { gatewayOn } from './engine.ts';
import { freePort } from './free-port.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { ask } from './routing.ts';
import { eventually } from './wait.ts';

interface NodesWanted {
  readonly count?: number;
  readonly redis?: TestRedis;
  readonly env?: Record<string, string>;
}

/** The nodes that run now. */
export type Nodes = readonly [Gateway, ...Gateway[]] & {
  /** Starts one that has ended, on the same port and folder; `main`: as another version. */
  restart(index: number, main?: string): Promise<void>;
};

/** Several gateways on one fresh database, each with a folder of its own; whatever happens in the test, they end with it. */
export async function startNodes(kit: EngineKit, { count = 3, redis, env = {} }: NodesWanted = {}): Promise<Nodes> {
  const starting: Promise<Gateway>[] = [];
  onTestFinished(async () => {
    const settled = await Promise.allSettled(starting);
    const nodes = settled.flatMap((started) => (started.status === 'fulfilled' ? [started.value] : []));
    // How a node ends is asked by tests of its own.
    await Promise.all(nodes.map((node) => node.kill()));
    await Promise.all(nodes.map((node) => node.stop()));
  });
  const begin = (own: Record<string, string>, main?: string) => {
    const started = startGateway(own, main);
    starting.push(started);
    return started;
  };
  // Ports that are still free when a node comes back.
  const [firstPort = '', ...ports] = (await Promise.all(Array.from({ length: count }, freePort))).map(String);
  const first = gatewayOn(kit, { ...(redis && { REDIS_URL: redis.url }), ...env, PORT: firstPort });
  starting.push(first);
  const { DATA_DIR: _own, ...shared } = (await first).env;
  const others = ports.map((port) => begin({ ...shared, PORT: port }));
  const list: [Gateway, ...Gateway[]] = [await first, ...(await Promise.all(others))];
  return Object.assign(list, {
    async restart(index: number, main?: string) {
      const old = list[index];
      if (old === undefined) throw new Error(`there is no node ${index}`);
      list[index] = await begin(old.env, main);
    },
  });
}

/** Resolves when each node has heard of the channel, the price and the key of this call. */
export async function allServe(nodes: readonly Gateway[], call: { model: string; key: string }): Promise<void> {
  for (const node of nodes) await eventually(async () => expect((await ask(node, call)).status).toBe(200));
}
