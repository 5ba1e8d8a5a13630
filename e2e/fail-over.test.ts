import { describe, expect, test } from 'vitest';
import { findPostgres, startPostgres } from '../server/test/postgres.ts';
import { openBooks } from './support/books.ts';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';
import { eventually } from './support/wait.ts';

const whole = 'whole';
/** Twenty seconds. */
const long = 's400i50';
const price = 500;
const bin = findPostgres();

describe.skipIf(bin === undefined)('a fail-over', () => {
  test('calls that the database forgot in a fail-over, while they ran, are charged when they end, and it is told', async () => {
    const postgres = await ofTest(startPostgres(bin ?? '', 40));
    const upstream = await ofTest(startMockUpstream());
    const gateway = await ofTest(
      startGateway({
        DATABASE_URL: `${postgres.url}/postgres`,
        SECRET_KEY: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
        HOLD_CHECKPOINT_SECONDS: '1',
      }),
    );
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: `${whole},${long}` });
    await root.setOption('ModelPrice', { [whole]: 0.001 });
    await root.setOption('ModelRatio', { [long]: 1 });
    await root.setOption('QuotaForNewUser', 1_000_000);
    const person = async (name: string) => {
      await root.raw('POST', '/api/user/register', { username: name, password: `${name}-password` });
      const user = await signIn(gateway.url, name, `${name}-password`);
      return { id: user.userId, key: (await user.addToken()).key };
    };
    const anna = await person('anna');
    const call = (key: string, model: string) => ask(gateway, { key, model, stream: model === long });
    const serves = (key: string) => eventually(async () => expect((await call(key, whole)).status).toBe(200));
    await serves(anna.key);
    await postgres.keep();
    await serves(anna.key);
    // Is forgotten, too.
    const lena = await person('lena');
    await serves(lena.key);

    const answer = Promise.withResolvers<void>();
    upstream.script(({ json }) => (json.model === whole ? { until: answer.promise } : undefined));
    const calls = [call(anna.key, whole), call(anna.key, whole)];
    const lost = call(lena.key, whole);
    const stream = call(anna.key, long);
    await eventually(() => expect(upstream.requests().filter(({ endedAtMs }) => endedAtMs === 0)).toHaveLength(4));
    await upstream.waitFor(({ json, bytesSent }) => json.model === long && bytesSent > 0);

    await postgres.rewind();
    answer.resolve();
    const books = await ofTest(openBooks(gateway));
    for (const { status, requestId } of await Promise.all(calls)) {
      expect(status).toBe(200);
      // Where the database came back late, by way of the outbox.
      await eventually(async () => expect(await books.rowsOf(requestId)).toMatchObject([{ model: whole, quota: price }]));
    }
    expect((await lost).status).toBe(200);
    const { text } = await stream;
    expect(text).toContain('billing_unavailable');
    await booksAgree(gateway, root);
    const told = () =>
      gateway
        .output()
        .split('\n')
        .filter((line) => line.includes('has forgotten a call'))
        .map((line) => JSON.parse(line).isCharged);
    await eventually(() => expect(told().sort()).toEqual([false, true, true, true]));
  });
});
