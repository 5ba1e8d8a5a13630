import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { draftOf, giveToken, grant, holdOf } from '../../test/ledger-kit.ts';
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
});
