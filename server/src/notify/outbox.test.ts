import { notifyWays, type QuietHours, role } from '@tollgate/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { startHookReceiver, startMessengers } from '../../../e2e/support/stand-ins/messengers.ts';
import { startSmtp } from '../../../e2e/support/stand-ins/smtp.ts';
import { onEachEngine } from '../../test/engines.ts';
import { announcement, by, createNotifyKit } from '../../test/notify-kit.ts';
import type { Database } from '../storage/database.ts';
import { createDispatcher } from './dispatcher.ts';
import { spreadStep } from './spread.ts';
import type { Ways } from './ways/index.ts';
import type { Way } from './ways/way.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const secret = 'hook-secret';
const toHook = { subscriptions: by('webhook'), webhook_url: 'https://hook.example.org/in', webhook_secret: secret };

/** A user whose notifications go to a receiver that stands in for hook.example.org. */
async function scene(db: Database, quiet?: QuietHours) {
  const hook = await startHookReceiver(secret);
  const kit = await createNotifyKit(db, { rewrite: [`hook.example.org=${hook.origin}`] });
  closing.push(hook.close, kit.close);
  const userId = await kit.person({
    name: 'ann',
    setting: { ...toHook, ...(quiet === undefined ? {} : { quiet_hours: quiet }) },
  });
  const a = kit.node('a');
  return { hook, kit, userId, log: a.services.deliveries, a: a.dispatcher, b: kit.node('b').dispatcher };
}

onEachEngine((_name, open) => {
  describe('the outbox', () => {
    test('brings an event to a webhook, signed, and writes that it did', async () => {
      const { hook, kit, userId, a } = await scene(await open());
      await kit.publish(announcement(userId));
      await a.tick();
      expect(hook.messages.map(({ body }) => body)).toEqual([
        {
          ...{ type: 'announcement', title: '公告', content: '{{value}} 维护', values: ['周日'], link: '' },
          timestamp: kit.now(),
          en: { title: 'Notice', content: 'Maintenance {{value}}' },
        },
      ]);
      expect(hook.refused).toEqual([]);
      expect(await kit.deliveries()).toMatchObject([{ state: 'sent', way: 'webhook', attempts: 1, sent_at: kit.now() }]);
    });

    test('two nodes at once spread and send everything once', async () => {
      const { hook, kit, a, b } = await scene(await open());
      await kit.people(30, toHook);
      await kit.publish(announcement('all'));
      await Promise.all([a.tick(), b.tick(), a.tick(), b.tick()]);
      await a.tick();
      expect(hook.received).toHaveLength(31);
      expect(new Set((await kit.deliveries()).map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(new Set(['sent 1']));
    });

    test('tries again later and later, and gives up after the sixth time; its owner may begin anew', async () => {
      const { hook, kit, userId, a, log } = await scene(await open());
      hook.override.reply = { status: 503 };
      await kit.publish(announcement(userId));
      const pauses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt += 1) {
        await a.tick();
        const [row] = await kit.deliveries();
        if (row?.state !== 'waiting') break;
        pauses.push(row.due_at - kit.now());
        await a.tick();
        kit.clock.advanceMs((row.due_at - kit.now()) * 1000);
      }
      expect(hook.received).toHaveLength(6);
      expect(pauses).toHaveLength(5);
      expect(pauses).toEqual([...pauses].sort((left, right) => left - right));
      expect(await kit.deliveries()).toMatchObject([{ state: 'failed', detail: 'HTTP 503', attempts: 6 }]);
      hook.override.reply = undefined;
      const [{ id = 0 } = {}] = (await log.page(userId, 1, 10)).items;
      await expect(log.retry(userId + 1, id)).rejects.toMatchObject({ code: 'not_found' });
      await log.retry(userId, id);
      await expect(log.retry(userId, id)).rejects.toMatchObject({ code: 'not_found' });
      await a.tick();
      expect((await log.page(userId, 1, 10)).items).toMatchObject([{ id, state: 'sent', title: '公告', title_en: 'Notice' }]);
    });

    test('a node that dies between sending and writing it down leaves it to another, under the same name', async () => {
      const { hook, kit, userId, a, b } = await scene(await open());
      await kit.publish(announcement(userId));
      await a.tick();
      // As the row stands while the message is on its way.
      await kit.db.transaction((tx) =>
        tx.query
          .updateTable('notification_delivery')
          .set({ state: 'waiting', lease_owner: 'dead', lease_until: kit.now() + 60, sent_at: 0 })
          .execute(),
      );
      await b.tick();
      expect(hook.received).toHaveLength(1);
      kit.clock.advanceMs(61_000);
      await b.tick();
      expect(hook.received).toHaveLength(2);
      expect(hook.messages).toHaveLength(1);
      expect(await kit.deliveries()).toMatchObject([{ state: 'sent', attempts: 2 }]);
    });

    test('what a clock a day ahead wrote or has in hand is sent once the clock was set back', async () => {
      const { hook, kit, userId, a, b } = await scene(await open());
      const dayMs = 86_400_000;
      kit.clock.skewMs(dayMs);
      hook.override.reply = { status: 503 };
      for (const event of ['quota_warning', 'announcement'] as const) await kit.publish(announcement(userId, { event }));
      await a.tick();
      const [tried, taken] = await kit.deliveries();
      const inHand = { lease_owner: 'dead', lease_until: kit.now() + 90 };
      await kit.db.transaction(({ query }) =>
        query
          .updateTable('notification_delivery')
          .set(inHand)
          .where('id', '=', taken?.id ?? 0)
          .execute(),
      );
      hook.override.reply = undefined;
      hook.received.length = 0;
      kit.clock.skewMs(-dayMs);
      await b.tick();
      expect(await kit.deliveries()).toMatchObject([{ id: tried?.id, state: 'sent', sent_at: kit.now() }, { state: 'waiting' }]);
      kit.clock.advanceMs(90_000);
      await b.tick();
      expect(await kit.deliveries()).toMatchObject([{ state: 'sent' }, { state: 'sent', created_at: kit.now() - 90 }]);
      expect(hook.received).toHaveLength(2);
    });

    test('what was being sent when another one could not be read is written down, and not sent again', async () => {
      const { kit, userId } = await scene(await open());
      const other = await kit.person({ name: 'ben', setting: toHook });
      for (const each of [userId, other]) await kit.publish(announcement(each));
      const sent: number[] = [];
      let isOut = false;
      const webhook: Way = {
        reaches: () => true,
        async send(_parcel, recipient) {
          await new Promise((resolve) => setTimeout(resolve, 50));
          sent.push(recipient.userId);
        },
      };
      const read = new Proxy(kit.db.read, {
        get(target, name) {
          // Of what is sent, the address of the first is not to be had.
          if (name !== 'selectFrom') return Reflect.get(target, name);
          return (table: 'users') => {
            const isAway = isOut && table === 'users';
            isOut &&= !isAway;
            if (isAway) throw new Error('away');
            return target.selectFrom(table);
          };
        },
      });
      const log = { warn: () => {} };
      const ways = { webhook } as unknown as Ways;
      const parts = { ...kit, db: { ...kit.db, read }, log, ways, node: 'n', random: () => 0.5 };
      while (await spreadStep(parts, kit.now())) isOut = false;
      isOut = true;
      await expect(createDispatcher(parts).tick()).rejects.toThrow('away');
      await expect.poll(() => sent.length).toBe(1);
      kit.clock.advanceMs(91_000);
      await createDispatcher(parts).tick();
      expect(sent.toSorted()).toEqual([userId, other]);
    });

    test('one whose node died with the last attempt is given up', async () => {
      const { hook, kit, userId, a } = await scene(await open());
      await kit.publish(announcement(userId));
      hook.override.reply = { status: 503 };
      await a.tick();
      await kit.db.transaction((tx) => tx.query.updateTable('notification_delivery').set({ attempts: 6, due_at: 0 }).execute());
      await a.tick();
      expect(await kit.deliveries()).toMatchObject([{ state: 'failed', detail: 'lost' }]);
      expect(hook.received).toHaveLength(1);
    });

    test('waits for the end of quiet hours, except with what is urgent', async () => {
      // 1,800,000,000 is 08:00 UTC on 2027-01-15, 16:00 in Shanghai.
      const quiet = { start: 15 * 60, end: 17 * 60 + 30, timezone: 'Asia/Shanghai' };
      const { hook, kit, userId, a } = await scene(await open(), quiet);
      await kit.publish(announcement(userId));
      await a.tick();
      expect(await kit.deliveries()).toMatchObject([{ state: 'waiting', attempts: 0, due_at: kit.now() + 5_400 }]);
      const rootSetting = { ...toHook, quiet_hours: quiet, subscriptions: { ledger_red: ['webhook'] } } as const;
      await kit.person({ name: 'chief', role: role.root, setting: rootSetting });
      await kit.publish(announcement(userId, { event: 'ledger_red', audience: 'root' }));
      await a.tick();
      expect(hook.received).toHaveLength(1);
      kit.clock.advanceMs(5_400_000);
      await a.tick();
      expect(hook.received).toHaveLength(2);
      expect((await kit.deliveries()).map(({ state }) => state)).toEqual(['sent', 'sent']);
    });

    test('reaches all five ways, each as its service wants it; secrets are sealed and a wrong one is told apart', async () => {
      const accounts = {
        ...{ wecomKey: 'wecom-key-1', dingtalkKey: 'dingtalk-key-1', dingtalkSecret: 'SECdingtalk', appToken: 'AT_app' },
        nowMs: () => 1_800_000_000_000,
      };
      const messengers = await startMessengers(accounts);
      const smtp = await startSmtp();
      const hook = await startHookReceiver(secret);
      const rewrite = [...messengers.rewrite, `hook.example.org=${hook.origin}`];
      const options = {
        ...{ WxPusherEnabled: true, WxPusherAppToken: 'AT_app' },
        ...{ SMTPServer: '127.0.0.1', SMTPPort: smtp.port, SMTPFrom: 'gate@example.org' },
      };
      const kit = await createNotifyKit(await open(), { rewrite, options });
      closing.push(messengers.close, smtp.close, hook.close, kit.close);
      const keys = {
        wecom_key: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=wecom-key-1',
        dingtalk_key: 'dingtalk-key-1',
      };
      const setting = { ...toHook, ...keys, dingtalk_secret: 'SECdingtalk', subscriptions: by(...notifyWays) };
      const userId = await kit.person({ name: 'ann', email: 'ann@example.org', setting });
      const { services, dispatcher } = kit.node('a');
      const { code } = await services.wxpusher.code(userId);
      expect(await services.wxpusher.state(userId, code)).toBe('waiting');
      messengers.scan(code, 'UID_ann');
      // The service is asked once within ten seconds, however often the page asks.
      expect(await services.wxpusher.state(userId, code)).toBe('waiting');
      kit.clock.advanceMs(10_000);
      expect(await services.wxpusher.state(userId, code)).toBe('bound');
      const { setting: stored } = await kit.db.read.selectFrom('users').select('setting').executeTakeFirstOrThrow();
      for (const plain of [secret, 'wecom-key-1', 'dingtalk-key-1', 'SECdingtalk']) expect(stored).not.toContain(plain);
      await kit.publish(announcement(userId));
      await dispatcher.tick();
      expect((await kit.deliveries()).map(({ way, state, detail }) => [way, state, detail])).toEqual(
        notifyWays.map((way) => [way, 'sent', '']),
      );
      expect(messengers.accepted.map(({ service, to }) => [service, to]).sort()).toEqual([
        ['dingtalk', 'dingtalk-key-1'],
        ['wecom', 'wecom-key-1'],
        ['wxpusher', 'UID_ann'],
      ]);
      expect(messengers.accepted[0]?.text).toBe('公告 / Notice\n\n周日 维护\n\nMaintenance 周日');
      expect(smtp.mails).toMatchObject([{ to: ['ann@example.org'], subject: '公告 / Notice' }]);
      expect(smtp.mails[0]?.raw).toMatch(/^Message-ID: <tollgate-\d+-\d+@example\.org>\r$/m);
      messengers.override.reply = { body: { errcode: 310_000, errmsg: 'sign not match' } };
      expect(await services.deliveries.test(userId, 'dingtalk', '192.0.2.1')).toEqual({ ok: false, detail: 'errcode 310000' });
      await services.wxpusher.unbind(userId);
      await expect(services.deliveries.test(userId, 'wxpusher', '192.0.2.1')).rejects.toMatchObject({
        code: 'notify_target_missing',
      });
    });

    test('a test mail to an address that nobody proved takes the places of mails that a stranger can cause', async () => {
      const smtp = await startSmtp();
      const options = { SMTPServer: '127.0.0.1', SMTPPort: smtp.port, SMTPFrom: 'gate@example.org' };
      const kit = await createNotifyKit(await open(), { options });
      closing.push(smtp.close, kit.close);
      const { deliveries } = kit.node('a').services;
      const setting = (notification_email: string) => ({ notification_email, subscriptions: by('email') });
      const own = await kit.person({ name: 'ann', email: 'ann@example.org', setting: setting('Ann@example.org') });
      const people = await Promise.all(
        ['victim@example.net', 'Victim+tag@Example.net', ...Array.from({ length: 11 }, (_, at) => `other${at}@example.net`)].map(
          (address, at) => kit.person({ name: `eve${at}`, setting: setting(address) }),
        ),
      );
      const [first = 0, second = 0, ...others] = people;
      const test = (userId: number, caller = '192.0.2.1') => deliveries.test(userId, 'email', caller);
      const tooMany = { code: 'too_many_requests' };
      for (let count = 0; count < 12; count += 1) expect(await test(own)).toEqual({ ok: true, detail: '' });
      expect(await test(first)).toEqual({ ok: true, detail: '' });
      // One mailbox has one limit, however it is spelled, whoever asks and from wherever.
      await expect(test(second, '192.0.2.2')).rejects.toMatchObject(tooMany);
      for (let count = 1; count < 5; count += 1) {
        kit.clock.advanceMs(30_000);
        expect(await test(second, `192.0.2.${count}`)).toEqual({ ok: true, detail: '' });
      }
      kit.clock.advanceMs(30_000);
      await expect(test(first, '192.0.2.9')).rejects.toMatchObject(tooMany);
      // And one caller has one, however many mailboxes are named.
      const outcomes = await Promise.allSettled(others.map((userId) => test(userId, '192.0.2.10')));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: tooMany });
      expect(smtp.mails.filter(({ to }) => /victim/i.test(String(to)))).toHaveLength(5);
      expect(await kit.deliveries()).toHaveLength(12 + 5 + 10);
    });

    test('mails of what a user does at will take the same places where nobody proved the address, and wait for them', async () => {
      const smtp = await startSmtp();
      const options = { SMTPServer: '127.0.0.1', SMTPPort: smtp.port, SMTPFrom: 'gate@example.org' };
      const kit = await createNotifyKit(await open(), { options });
      closing.push(smtp.close, kit.close);
      const { dispatcher } = kit.node('a');
      const subscriptions = { token_key: ['email'] } as const;
      const own = await kit.person({ name: 'ann', email: 'ann@example.org', setting: { subscriptions } });
      const setting = { notification_email: 'victim@example.net', subscriptions };
      const stranger = await kit.person({ name: 'eve', setting });
      for (const userId of [own, stranger])
        for (let count = 0; count < 7; count += 1) await kit.publish(announcement(userId, { event: 'token_key' }));
      const sentTo = async (userId: number) =>
        (await kit.deliveries()).filter(({ user_id: to, state }) => to === userId && state === 'sent').length;
      await dispatcher.tick();
      expect([await sentTo(own), await sentTo(stranger)]).toEqual([7, 1]);
      for (let count = 0; count < 6; count += 1) {
        kit.clock.advanceMs(30_000);
        await dispatcher.tick();
      }
      expect(await sentTo(stranger)).toBe(5);
      expect((await kit.deliveries()).filter(({ state }) => state === 'waiting')).toMatchObject(
        Array.from({ length: 2 }, () => ({ user_id: stranger, attempts: 0, detail: '' })),
      );
      kit.clock.advanceMs(3_600_000);
      await dispatcher.tick();
      kit.clock.advanceMs(30_000);
      await dispatcher.tick();
      expect([await sentTo(own), await sentTo(stranger)]).toEqual([7, 7]);
      expect(smtp.mails).toHaveLength(14);
    });

    test('a code of WxPusher is worthless after five minutes, with another code, and to strangers', async () => {
      const messengers = await startMessengers({ wecomKey: '', dingtalkKey: '', dingtalkSecret: '', appToken: 'AT_app' });
      const options = { WxPusherEnabled: true, WxPusherAppToken: 'AT_app' };
      const kit = await createNotifyKit(await open(), { rewrite: messengers.rewrite, options });
      closing.push(messengers.close, kit.close);
      const userId = await kit.person({ name: 'ann' });
      const { wxpusher } = kit.node('a').services;
      const bound = async () =>
        (await kit.db.read.selectFrom('users').select('setting').executeTakeFirstOrThrow()).setting.includes('UID_x');
      const first = await wxpusher.code(userId);
      const second = await wxpusher.code(userId);
      const nonceOf = (code: string) => messengers.codes.get(code) ?? '';
      await wxpusher.scanned(nonceOf(first.code), 'UID_x');
      await wxpusher.scanned('guessed', 'UID_x');
      await wxpusher.scanned(nonceOf(second.code), 'not a uid');
      expect([await bound(), await wxpusher.state(userId, first.code)]).toEqual([false, 'expired']);
      kit.clock.advanceMs(300_000);
      await wxpusher.scanned(nonceOf(second.code), 'UID_x');
      expect([await bound(), await wxpusher.state(userId, second.code)]).toEqual([false, 'expired']);
      const third = await wxpusher.code(userId);
      await wxpusher.scanned(nonceOf(third.code), 'UID_x');
      expect([await bound(), await wxpusher.state(userId, third.code)]).toEqual([true, 'bound']);
      messengers.override.reply = { body: { code: 1001 } };
      await expect(wxpusher.code(userId)).rejects.toMatchObject({ code: 'wxpusher_code_failed' });
    });
  });
});
