import { role } from '@tollgate/contract';
import { afterEach, expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { announcement, by, createNotifyKit } from '../../test/notify-kit.ts';
import type { Database } from '../storage/database.ts';
import { claimDue, type DeliverParts } from './deliver.ts';
import { maxWaiting, maxWaitingOfUser, spreadStep } from './spread.ts';
import type { Ways } from './ways/index.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const anywhere = { reaches: () => true };
const ways = {
  ...{ email: anywhere, webhook: anywhere, wxpusher: anywhere, wecom: anywhere, dingtalk: anywhere },
} as unknown as Ways;

/** A user, root, and one thing to tell everybody, one of them, and root at once, in this order. */
async function scene(db: Database) {
  const kit = await createNotifyKit(db);
  closing.push(kit.close);
  const ann = await kit.person({ name: 'ann', setting: { subscriptions: by('email') } });
  const chief = await kit.person({ name: 'chief', role: role.root, setting: { subscriptions: { ledger_red: ['email'] } } });
  await kit.publish(announcement('all'));
  await kit.publish(announcement(ann));
  await kit.publish(announcement(0, { event: 'ledger_red', audience: 'root' }));
  const spread = async () => {
    for (let step = 0; step < 10; step += 1) if (!(await spreadStep({ db, ways, options: kit.options }, kit.now()))) break;
    return (await kit.deliveries()).filter(({ notification_id: of }) => of > 0);
  };
  return { kit, ann, chief, spread, parts: { db, node: 'a' } as unknown as DeliverParts };
}

onEachEngine((_name, open) => {
  test('what is urgent overtakes what is for one user, and that what is for all', async () => {
    const { kit, ann, chief, spread, parts } = await scene(await open());
    expect((await spread()).map(({ user_id: to, lane }) => [to, lane])).toEqual([
      [chief, 0],
      [ann, 1],
      [ann, 2],
    ]);
    const claimed = async () => (await claimDue(parts, kit.now(), 1)).map(({ notificationId }) => notificationId);
    expect([await claimed(), await claimed(), await claimed(), await claimed()]).toEqual([[3], [2], [1], []]);
  });

  test('however much of it waits, mass mail holds up nothing else', async () => {
    const db = await open();
    const { kit, ann, chief, spread } = await scene(db);
    const row = { notification_id: 0, way: 'email', state: 'waiting', lane: 2, due_at: kit.now() + 3600, created_at: kit.now() };
    const some = 1_000;
    for (let from = 0; from < maxWaiting; from += some)
      await db.transaction((tx) =>
        tx.query
          .insertInto('notification_delivery')
          .values(Array.from({ length: some }, (_, at) => ({ ...row, user_id: from + at })))
          .execute(),
      );
    expect((await spread()).map(({ user_id: to }) => to)).toEqual([chief, ann]);
    const { numDeletedRows } = await db.transaction((tx) =>
      tx.query.deleteFrom('notification_delivery').where('user_id', '=', 0).executeTakeFirst(),
    );
    expect([numDeletedRows, (await spread()).map(({ user_id: to }) => to)]).toEqual([1n, [chief, ann, ann]]);
  });

  test('what one user lets pile up holds up nothing of others', async () => {
    const { kit, ann, spread } = await scene(await open());
    const eve = await kit.person({ name: 'eve', setting: { subscriptions: by('email') } });
    const row = { notification_id: 0, way: 'email', state: 'waiting', lane: 1, due_at: kit.now() + 3600, created_at: kit.now() };
    const piledUp = Array.from({ length: maxWaitingOfUser - 1 }, () => ({ ...row, user_id: eve }));
    await kit.db.transaction(async ({ query }) => {
      let id = -1;
      for (const each of piledUp)
        await query
          .insertInto('notification_delivery')
          .values({ ...each, notification_id: id-- })
          .execute();
    });
    for (let count = 0; count < 3; count += 1) await kit.publish(announcement(eve));
    await kit.publish(announcement(ann));
    const own = (await spread()).filter(({ lane }) => lane === 1).map(({ user_id: to }) => to);
    expect(own).toEqual([ann, eve, ann]);
    const { deliveries } = kit.node('a').services;
    await kit.db.transaction(({ query }) =>
      query
        .insertInto('notification_delivery')
        .values({ ...row, notification_id: -1000, state: 'failed', user_id: eve })
        .execute(),
    );
    const [{ id = 0 } = {}] = (await kit.deliveries()).filter(({ state }) => state === 'failed');
    await expect(deliveries.retry(eve, id)).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});
