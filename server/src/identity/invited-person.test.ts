import { expect, test } from 'vitest';
import { createApiKit, kitPassword, signIn } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { notice, order, setUpPayments, tell } from '../../test/payment-kit.ts';
import { proveLedger } from '../billing/index.ts';
import { createCrypto } from '../platform/crypto.ts';
import { insertUser } from './registration.ts';

onEachEngine((_name, open) => {
  test('nobody is rewarded for inviting another spelling of their own mailbox, at once or with the first payment', async () => {
    const kit = await createApiKit(await open());
    const rule = { InviteSameEmailRewarded: 'false', InviteHold: 'first_payment', QuotaForInviter: '1000' };
    await setUpPayments(kit, rule);
    const alice = await kit.user('alice');
    const code = (await kit.call({ path: '/api/user/aff', as: alice })).json.data;
    const info = async () => (await kit.call({ path: '/api/user/aff/info', as: alice })).json.data;
    const setMail = (username: string, email: string) =>
      kit.db.transaction((tx) => tx.query.updateTable('users').set({ email }).where('username', '=', username).execute());
    const deps = { db: kit.db, crypto: createCrypto(Buffer.alloc(32, 7)) };
    const register = async (username: string, address: string) => {
      const blank = { password: '', passwordHash: '', email: '', verification_code: '', aff_code: code };
      const person = { ip: '', device: undefined, address };
      const user = { ...blank, username, options: kit.deps.settings.current(), now: 1, person };
      await insertUser(deps, user, async () => undefined);
    };
    await setMail('alice', 'anna.lee@gmail.com');
    await register('herself', 'annalee+2@googlemail.com');
    expect(await info()).toMatchObject({ count: 1, waiting_quota: 0 });
    await register('bob', 'bob@example.org');
    expect(await info()).toMatchObject({ count: 2, waiting_quota: 1000 });
    await register('bob2', 'bob+2@example.org');
    expect(await info()).toMatchObject({ count: 3, waiting_quota: 1000 });
    const body = { username: 'late', password: kitPassword, aff_code: code };
    await kit.call({ method: 'POST', path: '/api/user/register', body });
    const late = await signIn(kit.call, 'late', kitPassword);
    expect(await info()).toMatchObject({ count: 4, waiting_quota: 2000 });
    await setMail('late', 'AnnaLee@gmail.com');
    expect((await tell(kit, notice(await order(kit, late, 10)))).text).toBe('success');
    expect(await info()).toMatchObject({ quota: 0, waiting_quota: 1000 });
    const rows = JSON.stringify(await kit.db.read.selectFrom('invite').selectAll().execute());
    expect(rows).not.toContain('bob@');
    expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
  });
});
