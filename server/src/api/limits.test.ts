import { routes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { createApiKit, type KitAnswer, type KitUser, kitPassword } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { routeLimits } from './limits.ts';
import type { AnyRoute } from './types.ts';

const times = <T>(count: number, run: (index: number) => T) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));
const served = (answers: KitAnswer[]) => answers.filter((answer) => answer.status !== 429).length;

onEachEngine((_name, open) => {
  const start = async (apiLimitFactor = 1) => {
    const kit = await createApiKit(await open(), { apiLimitFactor });
    const alice = await kit.user('alice');
    const status = (peer: string) => kit.call({ path: '/api/status', peer });
    const self = (as: KitUser, peer = '192.0.2.1') => kit.call({ path: '/api/user/self', as, peer });
    return { kit, alice, status, self };
  };

  test('an address that nobody signed in from gets 180 calls in 3 minutes, then a 429 that says when', async () => {
    const { kit, status } = await start();
    expect(served(await times(200, () => status('192.0.2.7')))).toBe(180);
    const refused = await status('192.0.2.7');
    expect([refused.status, refused.json]).toEqual([429, { success: false, message: '请求次数过多，请稍后再试！' }]);
    expect(refused.headers.get('retry-after')).toBe('180');
    expect((await status('192.0.2.8')).status).toBe(200);
    kit.clock.advanceMs(180_000);
    expect((await status('192.0.2.7')).status).toBe(200);
  });

  test('calls without valid credentials count for their address', async () => {
    const { kit } = await start();
    const guess = (index: number) =>
      kit.call({ path: '/api/user/self', peer: '192.0.2.7', headers: { Authorization: `guess-${index}`, 'New-Api-User': '1' } });
    expect(served(await times(200, guess))).toBe(180);
  });

  test('a signed-in user gets 300, wherever they call from, and takes nothing from others', async () => {
    const { kit, alice, self } = await start();
    const bob = await kit.user('bob');
    expect(served(await times(310, (index) => self(alice, `192.0.2.${index % 50}`)))).toBe(300);
    expect((await self(bob)).status).toBe(200);
  });

  test('searches count together, 30 a minute for a user', async () => {
    const { kit, alice } = await start();
    const root = await kit.root();
    const search = (as: KitUser, group: string) => kit.call({ path: `/api/${group}/search?keyword=x`, as });
    expect(served(await times(20, () => search(root, 'channel')))).toBe(20);
    expect(served(await times(20, () => search(root, 'user')))).toBe(10);
    expect((await search(root, 'token')).status).toBe(429);
    expect((await search(alice, 'token')).status).toBe(200);
  });

  test('an administrator tests 10 channels a minute', async () => {
    const { kit } = await start();
    const root = await kit.root();
    expect(served(await times(12, (index) => kit.call({ path: `/api/channel/test/${index + 1}`, as: root })))).toBe(10);
  });

  test('an address registers 3 users an hour and 10 a day; refused attempts take no place, but are bounded', async () => {
    const { kit } = await start();
    const register = (username: string, peer = '192.0.2.7') =>
      kit.call({ method: 'POST', path: '/api/user/register', body: { username, password: kitPassword }, peer });
    expect((await register('alice')).json.message).toBe('用户名已存在，或已注销');
    const answers = await times(5, (index) => register(`u${index}`));
    expect(answers.filter((answer) => answer.json.success)).toHaveLength(3);
    expect(served(answers)).toBe(3);
    expect((await register('elsewhere', '192.0.2.8')).json.success).toBe(true);
    let registered = 3;
    for (let hour = 1; hour <= 5; hour++) {
      kit.clock.advanceMs(3_600_000);
      const round = await times(3, (index) => register(`h${hour}n${index}`));
      registered += round.filter((answer) => answer.json.success).length;
    }
    expect(registered).toBe(10);
    kit.clock.advanceMs(86_400_000);
    const attempts: KitAnswer[] = [];
    for (let index = 0; index < 30; index++) attempts.push(await register('alice'));
    expect(served(attempts)).toBe(20);
  });

  test('a stranger fails with 40 passkeys in ten minutes, and no more of it goes into the audit log', async () => {
    const { kit } = await start();
    const clientData = Buffer.from(JSON.stringify({ challenge: 'x'.repeat(43) })).toString('base64url');
    const body = { response: { id: 'x', response: { clientDataJSON: clientData } } };
    const use = (peer: string) => kit.call({ method: 'POST', path: '/api/user/passkey/login', body, peer });
    expect(served(await times(50, () => use('192.0.2.7')))).toBe(40);
    const failures = kit.db.read.selectFrom('audit').select('action').where('action', '=', 'login.failed');
    expect(await failures.execute()).toHaveLength(40);
    expect((await use('192.0.2.8')).status).toBe(200);
  });

  test('the factor scales every figure, and 0 switches the limits off', async () => {
    const double = await start(2);
    expect(served(await times(400, () => double.status('192.0.2.7')))).toBe(360);
    const off = await start(0);
    expect(served(await times(400, () => off.status('192.0.2.7')))).toBe(400);
  });

  test('a limited call is refused before its body is read', async () => {
    const { kit } = await start();
    const send = () => kit.call({ method: 'POST', path: '/api/user/register', text: '{', peer: '192.0.2.7' });
    await times(20, send);
    expect((await send()).status).toBe(429);
  });
});

test('every limit belongs to a route of the contract', () => {
  const known = Object.values(routes).flatMap((group) =>
    Object.values<AnyRoute>(group).map(({ method, path }) => `${method} ${path}`),
  );
  expect(Object.keys(routeLimits).filter((name) => !known.includes(name))).toEqual([]);
});
