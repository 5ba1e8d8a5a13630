import type { Delivery, NotifyWay, PageOf, TestOutcome } from '@tollgate/contract';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { pageOf } from '../storage/page.ts';
import { type DeliverParts, deliver, leaseSeconds, settle } from './deliver.ts';
import { limitMail } from './mail-limits.ts';
import type { Message } from './message.ts';
import { readRecipient } from './recipients.ts';
import { maxWaitingOfUser, waitingOf } from './spread.ts';
import { testMessage } from './texts.ts';

/** What one user sees of their deliveries and may do about them. */
export interface DeliveryLog {
  /** Newest first. */
  page(userId: number, page: number, pageSize: number): Promise<PageOf<Delivery>>;
  /** Tries again what was given up. Throws PublicError `not_found` for another's, and for one that is not; `too_many_requests`. */
  retry(userId: number, id: number): Promise<void>;
  /**
   * Sends at once to what is saved. A mail to an address that nobody proved takes a place under the mail limits; `caller`: see
   * `limitMail`. Throws PublicError `notify_target_missing`, `too_many_requests`.
   */
  test(userId: number, way: NotifyWay, caller: string): Promise<TestOutcome>;
}

interface Parts extends DeliverParts {
  systemName(): string;
}

export function createDeliveryLog(parts: Parts): DeliveryLog {
  const { db, clock } = parts;
  return {
    page: (userId, page, pageSize) => readPage(parts, userId, page, pageSize),
    async retry(userId, id) {
      if ((await waitingOf(db, userId)) >= maxWaitingOfUser) throw new PublicError('too_many_requests', {}, 60);
      const { numUpdatedRows } = await db.transaction((tx) =>
        tx.query
          .updateTable('notification_delivery')
          .set({ state: 'waiting', attempts: 0, due_at: nowSeconds(clock) })
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .where('state', '=', 'failed')
          .executeTakeFirst(),
      );
      if (numUpdatedRows === 0n) throw new PublicError('not_found');
    },
    async test(userId, way, caller) {
      const recipient = await readRecipient(db, userId);
      if (recipient === undefined || !parts.ways[way].reaches(recipient)) throw new PublicError('notify_target_missing');
      const unproven = parts.ways[way].unproven?.(recipient);
      if (unproven !== undefined) await limitMail(parts.limiter, unproven, caller);
      const delivered = await deliver(parts, await openTest(parts, userId, way));
      await settle(parts, [delivered]);
      const { state, detail } = delivered.outcome;
      return { ok: state === 'sent', detail };
    },
  };
}

function readPage({ db }: DeliverParts, userId: number, p: number, page_size: number): Promise<PageOf<Delivery>> {
  const own = db.read.selectFrom('notification_delivery as delivery').where('delivery.user_id', '=', userId);
  return pageOf(db.read, own, { p, page_size }, async (page) => {
    const rows = await page
      .innerJoin('notification', 'notification.id', 'delivery.notification_id')
      .select(['delivery.id', 'delivery.way', 'delivery.state', 'delivery.attempts', 'delivery.detail', 'delivery.created_at'])
      .select(['delivery.due_at', 'delivery.sent_at', 'notification.event', 'notification.body'])
      .orderBy('delivery.id', 'desc')
      .execute();
    return rows.map(({ body, way, state, ...row }) => {
      const { title } = JSON.parse(body) as Message;
      return { ...row, way: way as Delivery['way'], state: state as Delivery['state'], title: title.zh, title_en: title.en };
    });
  });
}

/** In this node's hands from the start, so that no other sends it as well. */
function openTest({ db, clock, node, systemName }: Parts, userId: number, way: NotifyWay) {
  const now = nowSeconds(clock);
  const body = JSON.stringify(testMessage(systemName()));
  return db.transaction(async (tx) => {
    const { id: notificationId } = await tx.query
      .insertInto('notification')
      .values({ event: 'test', body, audience: 'user', user_id: userId, is_spread: 1, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const lease = { lease_owner: node, lease_until: now + leaseSeconds };
    const { id } = await tx.query
      .insertInto('notification_delivery')
      .values({ notification_id: notificationId, user_id: userId, way, state: 'waiting', due_at: now, created_at: now, ...lease })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, notificationId, userId, way, attempts: 1, createdAt: now };
  });
}
