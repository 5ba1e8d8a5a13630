import { type NotifyWay, role, type SettingInput, type Subscriptions, settingBody } from '@tollgate/contract';
import { openWallet } from '../src/billing/index.ts';
import { blankUser } from '../src/identity/registration.ts';
import { createNotify } from '../src/main-notify.ts';
import { createCallMeters, publish, settingText } from '../src/notify/index.ts';
import type { Notification } from '../src/notify/message.ts';
import { createCrypto } from '../src/platform/crypto.ts';
import { createUpstreamClient } from '../src/platform/http/client.ts';
import { createGuard } from '../src/platform/http/guard.ts';
import { createSystemClient } from '../src/platform/http/system-client.ts';
import { createMemoryLimiter } from '../src/platform/limiter/memory.ts';
import { createSettings, type Options } from '../src/settings/index.ts';
import type { Database } from '../src/storage/database.ts';
import { FakeClock } from './fake-clock.ts';

type NodeParts = Parameters<typeof createNotify>[0];
type OpenChannels = ReturnType<NodeParts['openChannels']>;
type Sold = ReturnType<NodeParts['soldBelow']>;

interface Person {
  name: string;
  role?: number;
  email?: string;
  quota?: number;
  setting?: (Omit<Partial<SettingInput>, 'subscriptions'> & { subscriptions?: Subscriptions }) | undefined;
}

/** Nodes that tell people of something, on a real database and over real sockets. */
export async function createNotifyKit(db: Database, kit: { rewrite?: readonly string[]; options?: Partial<Options> } = {}) {
  const clock = new FakeClock(1_800_000_000_000);
  const crypto = createCrypto(Buffer.alloc(32, 7));
  const changes = { notify: () => {} };
  const logged: unknown[] = [];
  const note = (detail: unknown) => void logged.push(detail);
  const log = { fatal: note, error: note, warn: note, info: note, debug: note };
  const settings = await createSettings({ db, clock, crypto, changes, warn: note });
  const own: Partial<Options> = { ...kit.options };
  const options = () => ({ ...settings.current(), ...own });
  const client = createUpstreamClient({
    guard: createGuard({ allowPrivate: [], rewrite: kit.rewrite ?? [] }),
    connectTimeoutMs: 2_000,
  });
  const http = createSystemClient(client);
  const meters = createCallMeters(clock.monotonicMs.bind(clock));
  /** What checks look at beside the database. */
  const seen = { open: [] as OpenChannels, sold: [] as Sold, coming: [] as { model: string; from: number }[] };
  /** Nobody wants the prices of a source here. */
  const unwired = () => Promise.reject(new Error('unwired'));
  const prices = { sync: unwired, applySync: unwired, coming: () => seen.coming };
  const watched = { meters, dataDir: '/', openChannels: () => seen.open, soldBelow: () => seen.sold, prices };
  const limiter = createMemoryLimiter({ clock, factor: 1 });
  const node = (name: string) =>
    createNotify({ db, clock, crypto, changes, log, options, http, outside: http, limiter, node: name, ...watched });
  const now = () => Math.floor(clock.nowMs() / 1000);
  /** Adds users as the product has them, in one transaction; `setting` is what they send. */
  const addPeople = (people: readonly Person[]): Promise<number[]> =>
    db.transaction(async (tx) => {
      const ids: number[] = [];
      for (const { name, role: userRole = role.common, email = '', quota = 0, setting } of people) {
        const named = { username: name, display_name: name, password_hash: '', aff_code: name };
        const { id } = await tx.query
          .insertInto('users')
          .values({ ...blankUser(now()), ...named, role: userRole, email: email || null })
          .returning('id')
          .executeTakeFirstOrThrow();
        ids.push(id);
        await tx.perform(openWallet(id));
        if (quota > 0) await tx.query.updateTable('wallet').set({ available: quota }).where('user_id', '=', id).execute();
        if (setting === undefined) continue;
        const input = settingBody.parse({ quota_warning_threshold: 1000, ...setting });
        const text = settingText(input, '', { crypto, userId: id, hasWorker: false });
        await tx.query.updateTable('users').set({ setting: text }).where('id', '=', id).execute();
      }
      return ids;
    });
  return {
    ...{ db, clock, logged, options, own, node, now, meters, seen, client, http, limiter },
    person: async (person: Person) => (await addPeople([person]))[0] ?? 0,
    /** As many users as alike as one can be. */
    people: (count: number, setting: Person['setting']) =>
      addPeople(Array.from({ length: count }, (_, index) => ({ name: `user${index}`, setting }))),
    publish: (notification: Notification) => db.transaction((tx) => tx.perform(publish(notification, now()))),
    deliveries: () => db.read.selectFrom('notification_delivery').selectAll().orderBy('id').execute(),
    close: () => client.close(),
  };
}

/** Something to tell a user. */
export function announcement(userId: number | 'all', more: Partial<Notification> = {}): Notification {
  const message = {
    type: 'announcement',
    title: { zh: '公告', en: 'Notice' },
    content: { zh: '{{value}} 维护', en: 'Maintenance {{value}}' },
    values: ['周日'],
    link: '',
  };
  return { event: 'announcement', message, audience: userId === 'all' ? 'all' : { userId }, ...more };
}

/** Everything by these ways. */
export function by(...ways: NotifyWay[]): Subscriptions {
  return { announcement: ways, quota_warning: ways, price_change: ways };
}
