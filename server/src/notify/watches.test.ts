import { role } from '@tollgate/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { startHookReceiver } from '../../../e2e/support/stand-ins/messengers.ts';
import { onEachEngine } from '../../test/engines.ts';
import { by, createNotifyKit } from '../../test/notify-kit.ts';
import { startNotifications } from '../jobs/notifications.ts';
import type { Work } from '../jobs/runner.ts';
import type { Database } from '../storage/database.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const toHook = { subscriptions: by('webhook'), webhook_url: 'https://hook.example.org/in' };

/** An enabled channel that has so much left upstream. */
function poor(name: string, balance: number) {
  const blank = { key_sealed: '', key_hmac: '', key_hint: '', openai_organization: '', test_model: '', other: '', models: '' };
  const figures = { weight: 0, priority: 0, created_at: 0, test_time: 0, response_time_ms: 0, auto_ban: 1 };
  const words = { base_url: '', group_names: '', model_mapping: '', status_code_mapping: '', other_info: '', tag: '' };
  const more = { setting: '', param_override: '', header_override: '' };
  return { ...blank, ...figures, ...words, ...more, type: 1, status: 1, name, balance, balance_updated_at: 1 };
}

async function scene(db: Database) {
  const kit = await createNotifyKit(db);
  closing.push(kit.close);
  const told = async () => {
    const rows = await db.read.selectFrom('notification').select(['event', 'body', 'user_id']).orderBy('id').execute();
    return rows.map(({ event, body, user_id: userId }) => ({
      event,
      userId,
      ...(JSON.parse(body) as { type: string; values: string[] }),
    }));
  };
  return { kit, told };
}

onEachEngine((_name, open) => {
  describe('the quota warning', () => {
    test('comes once within two hours, however many calls end on however many nodes', async () => {
      const { kit, told } = await scene(await open());
      const low = await kit.person({ name: 'low', quota: 900, setting: toHook });
      const rich = await kit.person({ name: 'rich', quota: 1_000, setting: toHook });
      await kit.person({ name: 'deaf', quota: 0, setting: { subscriptions: { quota_warning: [] } } });
      const [a, b] = [kit.node('a').quotaWatch, kit.node('b').quotaWatch];
      const calls = async () => {
        // Each node takes what the calls of its own left.
        for (const watch of [a, b, a]) {
          for (const user of [low, rich, rich + 1, low]) kit.meters.settled(user);
          await Promise.all([watch.tick(), b.tick()]);
        }
      };
      await calls();
      expect(await told()).toMatchObject([{ event: 'quota_warning', userId: low, type: 'quota_exceed', values: ['＄0.001800'] }]);
      kit.clock.advanceMs(7_199_000);
      await calls();
      expect(await told()).toHaveLength(1);
      kit.clock.advanceMs(1_000);
      await calls();
      expect(await told()).toHaveLength(2);
    });

    test('comes as soon as the clock is set back that was a day ahead at the last one', async () => {
      const { kit, told } = await scene(await open());
      const low = await kit.person({ name: 'low', quota: 900, setting: toHook });
      const watches = [kit.node('a').quotaWatch, kit.node('b').quotaWatch];
      const look = async () => {
        kit.meters.settled(low);
        for (const watch of watches) await watch.tick();
      };
      kit.clock.skewMs(86_400_000);
      await look();
      kit.clock.skewMs(-86_400_000);
      await look();
      await look();
      expect(await told()).toHaveLength(2);
    });

    test('comes when its two hours are over, also from a node that saw the last one being told by another', async () => {
      const { kit, told } = await scene(await open());
      const low = await kit.person({ name: 'low', quota: 900, setting: toHook });
      const [a, b] = [kit.node('a').quotaWatch, kit.node('b').quotaWatch];
      const look = async (watch: typeof a) => {
        kit.meters.settled(low);
        await watch.tick();
      };
      await look(a);
      kit.clock.advanceMs(3_600_000);
      await look(b);
      expect(await told()).toHaveLength(1);
      kit.clock.advanceMs(3_600_000);
      await look(b);
      expect(await told()).toHaveLength(2);
    });

    test('comes below QuotaRemindThreshold where the user set nothing', async () => {
      const { kit, told } = await scene(await open());
      Object.assign(kit.own, { QuotaRemindThreshold: 700, SMTPServer: '127.0.0.1', SMTPFrom: 'gate@example.org' });
      for (const quota of [700, 699]) await kit.person({ name: `has${quota}`, email: `${quota}@example.org`, quota });
      for (const user of [1, 2]) kit.meters.settled(user);
      await kit.node('a').quotaWatch.tick();
      expect(await told()).toMatchObject([{ userId: 2 }]);
    });

    test('does not come while what is missing is only held, nor to whom it does not reach', async () => {
      const { kit, told } = await scene(await open());
      const holder = await kit.person({ name: 'holder', quota: 500, setting: toHook });
      await kit.person({ name: 'mailless', quota: 1 });
      await kit.db.transaction((tx) => tx.query.updateTable('wallet').set({ held: 600 }).where('user_id', '=', holder).execute());
      kit.meters.settled(holder);
      kit.meters.settled(holder + 1);
      await kit.node('a').quotaWatch.tick();
      expect(await told()).toEqual([]);
    });
  });

  test('while the database is away no turn counts as one that ended well, and nobody is forgotten', async () => {
    const db = await open();
    let isAway = false;
    const { kit, told } = await scene(
      new Proxy(db, {
        get(target, name, receiver) {
          if (isAway && (name === 'read' || name === 'transaction')) throw new Error('away');
          return Reflect.get(target, name, receiver);
        },
      }),
    );
    const low = await kit.person({ name: 'low', quota: 900, setting: toHook });
    const turns = new Map<string, () => Promise<unknown>>();
    const start = ({ name, turn }: Work) => {
      turns.set(name, () => turn(() => false));
      return { tick: async () => {}, stop: async () => {} };
    };
    const { dispatcher, quotaWatch, alerts, ...tell } = kit.node('a');
    startNotifications({ dispatcher, quotaWatch, alerts, ...tell }, { runner: { start, beats: () => [] } });
    expect([...turns.keys()]).toEqual(['notices', 'quota-watch', 'alerts']);
    kit.meters.settled(low);
    isAway = true;
    for (const turn of turns.values()) await expect(turn()).rejects.toThrow();
    isAway = false;
    for (const turn of turns.values()) await turn();
    expect(await told()).toMatchObject([{ event: 'quota_warning', userId: low }]);
  });

  describe('price changes', () => {
    const saving =
      (kit: Awaited<ReturnType<typeof scene>>['kit']) =>
      (name: string, from: string, to: string, option = 'ModelRatio') =>
        kit.db.transaction((tx) => {
          const diff = JSON.stringify([{ option, name, from, to }]);
          const row = { author_id: 1, author: 'root', note: '', changed: 1, diff, before_values: '{}', price_values: '{}' };
          return tx.query
            .insertInto('option_version')
            .values({ ...row, created_at: kit.now() })
            .execute();
        });

    test('that were taken back before they came to rest are none', async () => {
      const { kit, told } = await scene(await open());
      const save = saving(kit);
      await save('gpt-x', '', '2');
      await save('gpt-x', '2', '');
      const node = kit.node('a');
      kit.clock.advanceMs(121_000);
      expect(await node.tellPriceChanges()).toBe(false);
      await save('gpt-y', '1', '2');
      await save('gpt-y', '2', '3');
      kit.clock.advanceMs(121_000);
      expect(await node.tellPriceChanges()).toBe(true);
      expect(await told()).toMatchObject([{ event: 'price_change', values: ['gpt-y'] }]);
    });

    test('of several saves are told once, when they have come to rest', async () => {
      const { kit, told } = await scene(await open());
      const save = saving(kit);
      await save('gpt-x', '1', '2');
      await save('gpt-y', '1', '2');
      const [a, b] = [kit.node('a'), kit.node('b')];
      expect(await a.tellPriceChanges()).toBe(false);
      kit.clock.advanceMs(121_000);
      expect((await Promise.all([a.tellPriceChanges(), b.tellPriceChanges()])).filter(Boolean)).toHaveLength(1);
      expect(await told()).toMatchObject([{ event: 'price_change', values: ['gpt-x, gpt-y'] }]);
      expect(await b.tellPriceChanges()).toBe(false);
    });

    test('that begin on a day are told within the week before it, once to subscribers and once to root', async () => {
      const { kit, told } = await scene(await open());
      await kit.person({ name: 'chief', role: role.root, email: 'chief@example.org' });
      const [near, far] = [9, 12].map((days) => kit.now() + days * 86_400) as [number, number];
      kit.seen.coming = [
        { model: 'later', from: far },
        { model: 'gpt-x', from: near },
        { model: 'gpt-y', from: near },
      ];
      const [a, b] = [kit.node('a'), kit.node('b')];
      expect(await a.tellComingPrices()).toBe(false);
      kit.clock.advanceMs(2 * 86_400_000);
      expect((await Promise.all([a.tellComingPrices(), b.tellComingPrices()])).filter(Boolean)).toHaveLength(1);
      expect(await b.tellComingPrices()).toBe(false);
      const first = { type: 'price_change_ahead', values: ['2027-01-24 08:00 UTC', 'gpt-x, gpt-y'] };
      expect(await told()).toMatchObject([
        { event: 'price_change', ...first },
        { event: 'price_watch', ...first },
      ]);
      const audiences = await kit.db.read.selectFrom('notification').select('audience').orderBy('id').execute();
      expect(audiences.map(({ audience }) => audience)).toEqual(['all', 'root']);
      kit.clock.advanceMs(4 * 86_400_000);
      expect(await a.tellComingPrices()).toBe(true);
      expect((await told()).map(({ values }) => values[1])).toEqual(['gpt-x, gpt-y', 'gpt-x, gpt-y', 'later', 'later']);
      kit.clock.advanceMs(7 * 86_400_000);
      expect(await a.tellComingPrices()).toBe(false);
    });

    test('of groups are told to whom they are theirs, and to nobody else', async () => {
      const hook = await startHookReceiver('hook-secret');
      const kit = await createNotifyKit(await open(), { rewrite: [`hook.example.org=${hook.origin}`] });
      closing.push(hook.close, kit.close);
      Object.assign(kit.own, {
        UserUsableGroups: new Map([
          ['default', ''],
          ['fast', ''],
        ]),
        GroupRatio: new Map([
          ['default', 1],
          ['fast', 2],
          ['vip', 1],
          ['acme', 1],
          ['other', 1],
        ]),
        GroupGroupRatio: new Map([['acme', new Map([['fast', 1]])]]),
      });
      for (const group of ['default', 'vip', 'acme']) {
        const setting = { ...toHook, webhook_url: `https://hook.example.org/${group}`, webhook_secret: 'hook-secret' };
        const id = await kit.person({ name: group, setting });
        await kit.db.transaction(({ query }) =>
          query.updateTable('users').set({ group_name: group }).where('id', '=', id).execute(),
        );
      }
      const node = kit.node('a');
      const told = async (...changes: (readonly [option: string, name: string])[]) => {
        for (const [option, name] of changes) await saving(kit)(name, '1', '2', option);
        kit.clock.advanceMs(121_000);
        expect(await node.tellPriceChanges()).toBe(true);
        await node.dispatcher.tick();
        const messages = hook.received.splice(0).map(({ path, body }) => [path.slice(1), JSON.parse(body).values[0]]);
        return Object.fromEntries(messages);
      };
      const ratios = [
        ['GroupRatio', 'vip'],
        ['GroupRatio', 'fast'],
        ['GroupRatio', 'other'],
        ['GroupGroupRatio', 'acme'],
      ] as const;
      expect(await told(...ratios)).toEqual({ default: 'fast', vip: 'vip, fast', acme: 'acme' });
      expect(await told(['GroupRatio', 'other'], ['ModelRatio', 'gpt-x'])).toEqual({
        default: 'gpt-x',
        vip: 'gpt-x',
        acme: 'gpt-x',
      });
      expect(await told(['GroupRatio', 'other'])).toEqual({});
    });
  });

  describe('root hears', () => {
    test('which stored options cannot be read, and what counts in their place', async () => {
      const db = await open();
      await db.transaction((tx) => tx.query.insertInto('option').values({ key: 'RegisterEnabled', value: 'off' }).execute());
      const { kit, told } = await scene(db);
      await kit.person({ name: 'chief', role: role.root, email: 'chief@example.org' });
      await kit.node('a').alerts.tick();
      expect(await told()).toMatchObject([
        { event: 'option_unreadable', values: [expect.stringContaining('RegisterEnabled (')] },
      ]);
    });

    test('what waits for somebody, once for each that is new', async () => {
      const { kit, told } = await scene(await open());
      const chief = await kit.person({ name: 'chief', role: role.root, email: 'chief@example.org' });
      const [a, b] = [kit.node('a').alerts, kit.node('b').alerts];
      const paid = (digest: string, verdict: string) =>
        kit.db.transaction((tx) => {
          const words = {
            provider: 'epay',
            kind: 'paid',
            payload_sealed: '',
            summary: '{}',
            detail: '',
            trade_no: '',
            currency: 'cny',
          };
          const figures = { order_id: 0, money_cents: 100, seen: 1, received_at: kit.now(), last_at: kit.now() };
          return tx.query
            .insertInto('payment_inbox')
            .values({ ...words, ...figures, digest, verdict })
            .execute();
        });
      await paid('one', 'bad_signature');
      await a.tick();
      expect(await told()).toEqual([]);
      await paid('two', 'unmatched_order');
      await Promise.all([a.tick(), b.tick()]);
      await a.tick();
      expect(await told()).toMatchObject([{ event: 'money_waits', values: ['1'] }]);
      await paid('three', 'unmatched_money');
      await kit.db.transaction(async (tx) => {
        const times = { created_at: kit.now(), updated_at: kit.now() };
        await tx.query
          .insertInto('agent')
          .values({ user_id: chief, status: 0, rate_nano: null, ...times })
          .execute();
        const asked = { agent_id: chief, amount: 100, fee: 0, method: 'bank', payee_name: '', payee_account: '', bank_name: '' };
        await tx.query
          .insertInto('agent_withdrawal')
          .values({ ...asked, ...times, status: 1, remark: '' })
          .execute();
      });
      await b.tick();
      await a.tick();
      expect((await told()).map(({ values }) => values)).toEqual([['1'], ['2'], ['1'], ['1']]);
      // A notification that was not believed, and is now, began to wait after all of them.
      await kit.db.transaction((tx) =>
        tx.query.updateTable('payment_inbox').set({ verdict: 'unmatched_order' }).where('digest', '=', 'one').execute(),
      );
      await Promise.all([a.tick(), b.tick()]);
      await a.tick();
      expect((await told()).slice(4)).toMatchObject([{ event: 'money_waits', type: 'payment_waits', values: ['3'] }]);
    });

    test('of errors, channels, balances, the disk, the ledger and losses, each as often as it should', async () => {
      const { kit, told } = await scene(await open());
      await kit.person({ name: 'chief', role: role.root, email: 'chief@example.org' });
      const { alerts } = kit.node('a');
      await alerts.tick();
      expect(await told()).toEqual([]);
      Object.assign(kit.own, { AlertDiskFree: 99, AlertUpstreamBalance: 5, AlertCostRatio: 0.8 });
      Object.assign(kit.own, { AlertErrorRate: 40, AlertErrorRateCalls: 10, AlertChannelDownMinutes: 10 });
      await kit.db.transaction(async (tx) => {
        const proof = { id: 1, due_at: 0, log_id: 0, checked_at: kit.now(), ok: 0, difference: 'sum: 1' };
        await tx.query.insertInto('proof_state').values(proof).execute();
        await tx.query.insertInto('channel').values(poor('poor', 2.5)).execute();
      });
      kit.seen.sold = [{ model: 'gpt-x', share: 0.5 }];
      kit.seen.open = [{ channelId: 3, name: 'sick', models: ['gpt-x'] }];
      const log = kit.meters.counting({ note: () => {}, flush: async () => {}, stop: async () => {} });
      const failed = { channelId: 3 } as Parameters<typeof log.note>[0];
      for (let call = 0; call < 10; call += 1) log.note(failed);
      for (let call = 0; call < 10; call += 1) kit.meters.settled(1);
      await Promise.all([alerts.tick(), alerts.tick()]);
      const events = async () => (await told()).map(({ event }) => event).sort();
      const first = ['disk_low', 'error_rate', 'ledger_red', 'loss_model', 'upstream_balance'];
      expect(await events()).toEqual(first);
      expect((await told()).find(({ event }) => event === 'error_rate')?.values).toEqual(['20', '50.0%']);
      expect((await told()).find(({ event }) => event === 'upstream_balance')?.values).toEqual(['$2.50']);
      kit.clock.advanceMs(600_000);
      await alerts.tick();
      expect(await events()).toEqual(['channel_down', ...first].sort());
      await alerts.tick();
      expect(await events()).toHaveLength(6);
    });

    test('of a channel that runs low, or is down, also while twenty others are that have been told of', async () => {
      const { kit, told } = await scene(await open());
      await kit.person({ name: 'chief', role: role.root, email: 'chief@example.org' });
      Object.assign(kit.own, { AlertUpstreamBalance: 5, AlertChannelDownMinutes: 1 });
      const { alerts } = kit.node('a');
      const add = (channels: ReturnType<typeof poor>[]) =>
        kit.db.transaction((tx) => tx.query.insertInto('channel').values(channels).execute());
      await add(Array.from({ length: 20 }, (_, at) => poor(`empty${at}`, 0)));
      kit.seen.open = Array.from({ length: 21 }, (_, at) => ({ channelId: 101 + at, name: `sick${at}`, models: ['*'] }));
      await alerts.tick();
      await add([poor('low', 4)]);
      kit.clock.advanceMs(60_000);
      for (let look = 0; look < 2; look += 1) await alerts.tick();
      const events = (await told()).map(({ event }) => event);
      expect(events.filter((event) => event === 'upstream_balance')).toHaveLength(21);
      expect(events.filter((event) => event === 'channel_down')).toHaveLength(21);
    });
  });
});
