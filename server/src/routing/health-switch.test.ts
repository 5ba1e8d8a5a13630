import { describe, expect, test, vi } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { tellSwitched } from '../notify/index.ts';
import { createCrypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { readTarget } from './channel-target.ts';
import { createChannels } from './channels.ts';
import { createLocalHealth } from './health.ts';
import { createChannelSwitch, keyIdOf } from './health-switch.ts';
import { createHealthWatch } from './health-watch.ts';
import { readDisabledKeys } from './snapshot-rows.ts';
import { createTimeline } from './timeline.ts';

const actor = { id: 1, username: 'root', ip: '' };
const multi = '{"multi_key":"random"}';

async function kit(db: Database) {
  const clock = new FakeClock(1_800_000_000_000);
  const changes = { notify: vi.fn() };
  const onEvent = vi.fn();
  const log = { fatal: vi.fn(), error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() } as unknown as Log;
  const crypto = createCrypto(Buffer.alloc(32, 7));
  const channels = createChannels({ db, clock, crypto, changes });
  const add = async (more: Record<string, unknown> = {}) => {
    await channels.create({ type: 1, name: 'one', key: 'key-0123456789', models: 'a,b', group: 'default', ...more });
    const row = await db.read.selectFrom('channel').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
    return { id: row.id, key: (index: number) => ({ id: keyIdOf(row, index), index }) };
  };
  const timeline = createTimeline({ db, clock, log });
  const kinds = async (id: number) => (await timeline.page(id, { p: 1, page_size: 100 })).items.map(({ kind }) => kind);
  const status = async (id: number) => (await channels.get(id)).status;
  const abilities = async (id: number) =>
    (await db.read.selectFrom('ability').select('enabled').where('channel_id', '=', id).execute()).map((row) => row.enabled);
  const channelSwitch = createChannelSwitch({ db, clock, crypto, changes, tell: tellSwitched, onEvent });
  return { clock, channels, add, timeline, kinds, status, abilities, channelSwitch, onEvent, changes, log };
}

onEachEngine((_name, open) => {
  describe('the automatic switch', () => {
    test('switches off once, tells once, and says which models nobody serves any more', async () => {
      const { add, channelSwitch, onEvent, status, abilities, kinds, channels } = await kit(await open());
      const only = await add();
      await add({ models: 'b' });
      const request = { channelId: only.id, reason: 'dead', evidence: { status: 401 }, key: only.key(0) };
      const both = await Promise.all([channelSwitch.disable(request), channelSwitch.disable(request)]);
      expect(both.toSorted()).toEqual([false, true]);
      expect(onEvent.mock.calls).toEqual([[expect.objectContaining({ kind: 'disabled', reason: 'dead', lastOf: ['a'] })]]);
      expect([await status(only.id), await abilities(only.id), await kinds(only.id)]).toEqual([3, [0, 0], ['auto_disabled']]);
      expect(JSON.parse((await channels.get(only.id)).other_info)).toEqual({ status_reason: 'dead', status_time: 1_800_000_000 });
    });

    test('an outage is told of although the same channel went off a moment ago, when another one still served', async () => {
      const db = await open();
      const { add, channelSwitch, clock } = await kit(db);
      const [first, second] = [await add(), await add()];
      const off = async (id: number) => {
        clock.advanceMs(60_000);
        await channelSwitch.disable({ channelId: id, reason: 'dead', evidence: {} });
      };
      await off(first.id);
      await channelSwitch.enable(first.id, {});
      await off(second.id);
      await off(first.id);
      const told = await db.read.selectFrom('notification').select(['event', 'body']).orderBy('id').execute();
      expect(told.map(({ event, body }) => `${event} ${(JSON.parse(body) as { type: string }).type}`)).toEqual([
        `channel_switched channel_update_${first.id}_3`,
        `channel_switched channel_update_${first.id}_1`,
        `channel_switched channel_update_${second.id}_3`,
        `channel_down channel_update_${first.id}_3`,
      ]);
    });

    test('what a person switched off is left alone, in both directions', async () => {
      const { add, channels, channelSwitch, onEvent, status } = await kit(await open());
      const { id } = await add();
      await channels.update({ id, status: 2 }, actor);
      expect(await channelSwitch.disable({ channelId: id, reason: 'x', evidence: {} })).toBe(false);
      expect(await channelSwitch.enable(id, {})).toBe(false);
      expect(await status(id)).toBe(2);
      expect(onEvent).not.toHaveBeenCalled();
    });

    test('a channel that shall not be switched off by itself stays on, whatever was known of it when the call began', async () => {
      const { add, channels, channelSwitch, status } = await kit(await open());
      const { id, key } = await add();
      await channels.update({ id, auto_ban: 0 }, actor);
      expect(await channelSwitch.disable({ channelId: id, reason: 'x', evidence: {}, key: key(0) })).toBe(false);
      expect(await status(id)).toBe(1);
    });

    test('evidence about a key or an address that was replaced meanwhile counts for nothing', async () => {
      const { add, channels, channelSwitch, status } = await kit(await open());
      const { id, key } = await add();
      await channels.update({ id, key: 'key-new-0123456789' }, actor);
      expect(await channelSwitch.disable({ channelId: id, reason: 'x', evidence: {}, key: key(0) })).toBe(false);
      expect(await status(id)).toBe(1);
    });

    test('an automatic enable brings the channel back with all its keys', async () => {
      const db = await open();
      const { add, channelSwitch, status, abilities, kinds } = await kit(db);
      const { id, key } = await add({ key: 'key-one-012345\nkey-two-012345', setting: multi });
      for (const index of [0, 1]) await channelSwitch.disable({ channelId: id, reason: 'dead', evidence: {}, key: key(index) });
      expect(await status(id)).toBe(3);
      expect(await channelSwitch.enable(id, { tested: true })).toBe(true);
      expect([await status(id), await abilities(id), (await readDisabledKeys(db)).size]).toEqual([1, [1, 1], 0]);
      expect(await kinds(id)).toEqual(['auto_enabled', 'auto_disabled', 'key_disabled']);
    });

    test('a key that a person switched off is neither asked with nor used when the channel comes back by itself', async () => {
      const db = await open();
      const { add, channelSwitch, status } = await kit(db);
      const { id, key } = await add({ key: 'key-one-012345\nkey-two-012345\nkey-three-01', setting: multi });
      await channelSwitch.setKey(id, { key_index: 0, enabled: false }, actor);
      for (const index of [1, 2]) await channelSwitch.disable({ channelId: id, reason: 'dead', evidence: {}, key: key(index) });
      expect([await status(id), (await readDisabledKeys(db)).size]).toEqual([3, 3]);
      const asked = async (random: number) =>
        (await readTarget({ db, crypto: createCrypto(Buffer.alloc(32, 7)), random: () => random }, id)).channel.key;
      expect([await asked(0), await asked(0.99)]).toEqual(['key-two-012345', 'key-three-01']);
      expect(await channelSwitch.enable(id, { tested: true })).toBe(true);
      expect([await status(id), (await readDisabledKeys(db)).size, await asked(0)]).toEqual([1, 1, 'key-two-012345']);
      await channelSwitch.setKey(id, { key_index: 0, enabled: true }, actor);
      expect((await readDisabledKeys(db)).size).toBe(0);
    });

    test('a channel all of whose keys are off is asked with any of them: it comes back with the one that is well again', async () => {
      const db = await open();
      const { add, channelSwitch } = await kit(db);
      const { id, key } = await add({ key: 'key-one-012345\nkey-two-012345\nkey-three-01', setting: multi });
      const asked = async (random: number) =>
        (await readTarget({ db, crypto: createCrypto(Buffer.alloc(32, 7)), random: () => random }, id)).channel.key;
      expect(await asked(0.99)).toBe('key-one-012345');
      for (const index of [0, 1, 2])
        await channelSwitch.disable({ channelId: id, reason: 'dead', evidence: {}, key: key(index) });
      expect([await asked(0), await asked(0.5), await asked(0.99)]).toEqual(['key-one-012345', 'key-two-012345', 'key-three-01']);
    });

    test('a channel whose key another master key sealed says so, and what to do', async () => {
      const db = await open();
      const { add } = await kit(db);
      const { id } = await add();
      const other = createCrypto(Buffer.alloc(32, 8));
      await expect(readTarget({ db, crypto: other }, id)).rejects.toMatchObject({ code: 'channel_unreadable' });
    });

    test('credentials that are entered are used: those that were off stay off while another is left, and not when none is', async () => {
      const db = await open();
      const { add, channels, channelSwitch } = await kit(db);
      const { id, key } = await add({ key: 'key-one-012345\nkey-two-012345', setting: multi });
      await channelSwitch.disable({ channelId: id, reason: 'dead', evidence: {}, key: key(0) });
      await channels.update({ id, key: 'key-one-012345\nkey-three-012345' }, actor);
      expect((await readDisabledKeys(db)).size).toBe(1);
      await channels.update({ id, key: 'key-one-012345' }, actor);
      expect((await readDisabledKeys(db)).size).toBe(0);
    });

    test('a credential that was taken out and is entered again is a new one, and not off as it was', async () => {
      const db = await open();
      const { add, channels, channelSwitch } = await kit(db);
      const { id } = await add({ key: 'key-one-012345\nkey-two-012345', setting: multi });
      await channelSwitch.setKey(id, { key_index: 0, enabled: false }, actor);
      expect(await channels.removeOffKeys(id, 0, actor)).toBe(1);
      await channels.update({ id, key: 'key-one-012345', key_mode: 'append' }, actor);
      expect((await readDisabledKeys(db)).size).toBe(0);
      await channelSwitch.setKey(id, { key_index: 0, enabled: false }, actor);
      await channels.update({ id, base_url: 'https://elsewhere.example' }, actor);
      await channels.update({ id, key: 'key-two-012345\nkey-one-012345' }, actor);
      expect((await readDisabledKeys(db)).size).toBe(0);
    });

    test('a person may switch single keys, but not the last one', async () => {
      const db = await open();
      const { add, channelSwitch, kinds } = await kit(db);
      const { id } = await add({ key: 'key-one-012345\nkey-two-012345', setting: multi });
      await channelSwitch.setKey(id, { key_index: 1, enabled: false }, actor);
      expect((await readDisabledKeys(db)).size).toBe(1);
      await expect(channelSwitch.setKey(id, { key_index: 0, enabled: false }, actor)).rejects.toThrow(PublicError);
      await expect(channelSwitch.setKey(id, { key_index: 9, enabled: true }, actor)).rejects.toThrow(PublicError);
      await channelSwitch.setKey(id, { key_index: 1, enabled: true }, actor);
      expect([(await readDisabledKeys(db)).size, await kinds(id)]).toEqual([0, ['key_enabled', 'key_disabled']]);
    });

    test('keywords in a refusal of what the caller asked for switch nothing off; as evidence about the account they do', async () => {
      const db = await open();
      const { add, channelSwitch, log, kinds } = await kit(db);
      const { id, key } = await add();
      const health = createLocalHealth({ monotonicMs: () => 0, random: () => 0, onChange: () => undefined });
      const watch = createHealthWatch({ health, log, channelSwitch });
      const subject = { channelId: id, keyId: key(0).id, keyIndex: 0, model: 'a' };
      const rules = { enabled: true, autoBan: true, keywords: 'Permission denied', saidByCaller: () => false };
      const words = { code: '', type: '', message: 'image_url: its server says "Permission denied"', coolMs: undefined };
      for (const status of [404, 413, 422]) watch.failed(subject, { ...words, class: 'client', status }, rules);
      await watch.flush();
      expect(await kinds(id)).toEqual([]);
      watch.failed(subject, { ...words, class: 'quota', status: 403, byWords: true }, rules);
      await watch.flush();
      expect(await kinds(id)).toEqual(['auto_disabled']);
    });

    test('a hundred failures at once make one switch, a failing database none, and nobody hears of either', async () => {
      const db = await open();
      const { add, channelSwitch, log, kinds } = await kit(db);
      const { id, key } = await add();
      const health = createLocalHealth({ monotonicMs: () => 0, random: () => 0, onChange: () => undefined });
      const subject = { channelId: id, keyId: key(0).id, keyIndex: 0, model: 'a' };
      const evidence = { class: 'auth', status: 401, code: '', type: '', message: 'no', coolMs: undefined } as const;
      const rules = { enabled: true, autoBan: true, keywords: '', saidByCaller: () => false };
      const broken = createHealthWatch({ health, log, channelSwitch: { disable: () => Promise.reject(new Error('out')) } });
      broken.failed(subject, evidence, rules);
      await broken.flush();
      const watch = createHealthWatch({ health, log, channelSwitch });
      for (let i = 0; i < 100; i++) watch.failed(subject, evidence, rules);
      await watch.flush();
      expect(await kinds(id)).toEqual(['auto_disabled']);
    });
  });

  describe('the timeline', () => {
    test('keeps the newest 500 of a channel and nothing older than 90 days', async () => {
      const db = await open();
      const { timeline, clock } = await kit(db);
      const note = (reason: string) => timeline.note({ channelId: 1, kind: 'breaker_open', actor: 'system', reason });
      note('too old');
      await timeline.flush();
      clock.advanceMs(91 * 86_400_000);
      for (let i = 0; i < 510; i++) note(String(i));
      await timeline.flush();
      const page = await timeline.page(1, { p: 1, page_size: 2 });
      expect([page.total, page.items.map(({ reason }) => reason)]).toEqual([500, ['509', '508']]);
      expect((await timeline.page(1, { p: 250, page_size: 2 })).items.map(({ reason }) => reason)).toEqual(['11', '10']);
    });

    test('a deleted channel takes its events along; statuses that a person sets stand in it with the name', async () => {
      const db = await open();
      const { add, channels, timeline } = await kit(db);
      const { id } = await add();
      await channels.update({ id, status: 2 }, actor);
      await channels.update({ id, status: 2, name: 'other' }, actor);
      await channels.update({ id, status: 1 }, actor);
      const { items } = await timeline.page(id, { p: 1, page_size: 10 });
      expect(items.map(({ kind, actor: by }) => [kind, by])).toEqual([
        ['enabled', 'root'],
        ['disabled', 'root'],
      ]);
      await channels.remove(id, actor);
      expect((await timeline.page(id, { p: 1, page_size: 10 })).total).toBe(0);
    });
  });
});
