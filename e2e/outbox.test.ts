import { statSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { postJson } from './support/post-json.ts';
import { eventually } from './support/wait.ts';

const model = 'per-call';
/** No request takes longer because of the database. */
const patienceMs = 10_000;

/** Keeps the gateway from writing, as a foreign program would; returns how to stop it. */
async function lockBooks({ env, dataDir }: Gateway): Promise<() => Promise<void>> {
  if (env.DATABASE_URL === undefined) {
    const db = new Sqlite(path.join(dataDir, 'tollgate.db'), { timeout: 5_000 });
    db.exec('BEGIN IMMEDIATE');
    return async () => void db.close();
  }
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE wallet IN ACCESS EXCLUSIVE MODE');
  return () => client.end();
}

function outboxBytes({ dataDir }: Gateway): number {
  return statSync(path.join(dataDir, 'outbox')).size;
}

async function complete(gateway: Gateway, key: string): Promise<number> {
  const answer = await postJson(
    `${gateway.url}/v1/chat/completions`,
    key,
    { model, messages: [{ role: 'user', content: 'Hello' }] },
    { signal: AbortSignal.timeout(patienceMs) },
  );
  await answer.arrayBuffer();
  return answer.status;
}

onEachEngine((_engine, _open, kit) => {
  test('an answer whose charge the database will not take is delivered in time and charged once when it heals, also after a kill', async () => {
    const upstream = await ofTest(startMockUpstream());
    let gateway = await gatewayOn(kit, { HOLD_LEASE_SECONDS: '60', HOLD_SWEEP_SECONDS: '1' });
    onTestFinished(() => gateway.stop());
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelPrice', { [model]: 0.0002 });
    const { key } = await root.addToken();
    /** The lock falls between the hold and the settle. */
    const callUnderLock = async (count: number): Promise<() => Promise<void>> => {
      const locked = Promise.withResolvers<void>();
      upstream.script(() => ({ until: locked.promise }));
      const status = complete(gateway, key);
      await upstream.waitFor(({ id }) => id === count);
      const unlock = await lockBooks(gateway);
      locked.resolve();
      expect(await status).toBe(200);
      expect(outboxBytes(gateway)).toBeGreaterThan(0);
      return unlock;
    };

    const unlock = await callUnderLock(1);
    expect(await complete(gateway, key)).toBe(503);
    await unlock();
    await eventually(() => expect(outboxBytes(gateway)).toBe(0), 30_000);

    const unlockAgain = await callUnderLock(2);
    await gateway.kill();
    await unlockAgain();
    gateway = await startGateway(gateway.env);
    expect(outboxBytes(gateway)).toBe(0);

    const books = await openBooks(gateway);
    const charges = [...(await books.charges()).values()];
    expect(await books.openHolds()).toBe(0);
    await books.close();
    expect(charges).toEqual([
      { transfers: 1, logRows: 1 },
      { transfers: 1, logRows: 1 },
    ]);
    const proof = await (await gateway.root()).call<{ ok: boolean }>('GET', '/api/ledger/proof');
    expect(proof).toMatchObject({ ok: true });
  });
});
