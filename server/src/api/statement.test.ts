import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { draftOf, giveToken, grant, holdOf } from '../../test/ledger-kit.ts';
import { agentAccounts } from '../billing/agent-money.ts';
import { createLedger, transfer } from '../billing/index.ts';

onEachEngine((_name, open) => {
  test('a user reads a month of the own account, an administrator that of users below, both as CSV whose last column adds up', async () => {
    const kit = await createApiKit(await open());
    const { db, clock } = kit;
    const [admin, peer] = [await kit.user('admin', 10), await kit.user('peer', 10)];
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const now = Math.floor(clock.nowMs() / 1000);
    const month = new Date(clock.nowMs()).toISOString().slice(0, 7);
    await db.transaction((tx) => tx.perform(transfer({ ...grant(alice.id, 500, 'grant:test'), now })));
    const token = await giveToken(db, alice.id, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock });
    const draft = draftOf('call', alice.id, token, { username: 'alice', tokenName: '=work', model: 'gpt-4o' });
    await ledger.hold(holdOf('call', alice.id, token, 90, { now, leaseUntil: now + 60 }));
    await ledger.settle({ id: 'call', cost: 70, now, draft });
    const read = (path: string, as = alice) => kit.call({ path: `/api/statement/${path}?month=${month}`, as });
    const own = (await read('self')).json.data;
    expect(own).toMatchObject({ user_id: alice.id, username: 'alice', month, opening: 0, charged: 70, closing: 430 });
    expect(own.movements).toEqual([{ kind: 'grant', count: 1, amount: 500 }]);
    expect(own.charges).toEqual([
      { model: 'gpt-4o', token: '=work', calls: 1, prompt_tokens: 10, completion_tokens: 20, quota: 70 },
    ]);
    expect((await read(`${alice.id}`, admin)).json.data).toEqual(own);
    expect((await read(`${peer.id}`, admin)).json).toMatchObject({ success: false });
    expect((await read(`${alice.id}`, bob)).json).toMatchObject({ success: false });
    expect((await read('self', bob)).json.data).toMatchObject({ opening: 0, movements: [], charges: [], closing: 0 });
    const { text, headers } = await read('self/export');
    expect(headers.get('content-disposition')).toContain(`statement-${month}-`);
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toEqual([
      'line,kind,model,token,count,prompt_tokens,completion_tokens,quota',
      'opening,,,,,,,0',
      'movement,grant,,,1,,,500',
      "charge,,gpt-4o,'=work,1,10,20,-70",
      'closing,,,,,,,430',
    ]);
    expect((await read(`${alice.id}/export`, admin)).text).toBe(text);
    const refused = await kit.call({ path: '/api/statement/self?month=2026-13', as: alice });
    expect(refused.json).toMatchObject({ success: false });
    const zone = await kit.call({ path: `/api/statement/self/export?month=${month}&time_zone=Mars`, as: alice });
    expect(zone.json).toMatchObject({ success: false });
  });

  test('an agent reads a month of the agency in cents, and as a file; nobody else has one', async () => {
    const kit = await createApiKit(await open());
    await kit.deps.settings.save([{ key: 'AgentEnabled', value: 'true' }]);
    const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
    const now = Math.floor(kit.clock.nowMs() / 1000);
    const move = { userId: alice.id, actorId: 0, now, note: '' };
    const accounts = agentAccounts(alice.id);
    await kit.db.transaction(async (tx) => {
      const agent = { user_id: alice.id, status: 1, rate_nano: null, created_at: now, updated_at: now };
      await tx.query.insertInto('agent').values(agent).execute();
      const earned = { from: 'dividend', to: accounts.pending, amount: 900, kind: 'dividend', ref: 'dividend:1' } as const;
      await tx.perform(transfer({ ...move, ...earned }));
      const paid = { from: accounts.withdrawing, kind: 'payout' } as const;
      const asked = {
        from: accounts.pending,
        to: accounts.withdrawing,
        amount: 500,
        kind: 'withdrawal',
        ref: 'withdrawal:1',
      } as const;
      await tx.perform(transfer({ ...move, ...asked }));
      await tx.perform(transfer({ ...move, ...paid, to: 'payout', amount: 490, ref: 'withdrawal:1:payout' }));
      await tx.perform(transfer({ ...move, ...paid, to: 'payout:fee', amount: 10, ref: 'withdrawal:1:fee' }));
    });
    const read = (path: string, as = alice) => kit.call({ path: `/api/agent/self/statement${path}`, as });
    const { data } = (await read('')).json;
    expect(data).toMatchObject({ user_id: alice.id, username: 'alice', opening: 0, closing: 400 });
    expect(data.movements).toEqual([
      { kind: 'dividend', count: 1, amount: 900 },
      { kind: 'withdrawal', count: 1, amount: -500 },
    ]);
    const { text, headers } = await read('/export');
    expect(headers.get('content-disposition')).toContain(`agency-statement-${data.month}-`);
    expect(text.trimEnd().split('\r\n')).toEqual([
      'line,kind,model,token,count,prompt_tokens,completion_tokens,amount_cents',
      'opening,,,,,,,0',
      'movement,dividend,,,1,,,900',
      'movement,withdrawal,,,1,,,-500',
      'closing,,,,,,,400',
    ]);
    for (const path of ['', '/export']) expect((await read(path, bob)).json).toMatchObject({ success: false });
  });
});
