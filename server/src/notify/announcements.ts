import type { Announcement, AnnouncementInput, AnnouncementKind, AnnouncementUpdate, PageOf } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { sanitizeMarkup } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { countRows, pageOf } from '../storage/page.ts';
import { publish } from './publish.ts';
import { announcementMessage } from './texts.ts';

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly serverAddress: () => string;
}

/** What the operator tells everybody, and who has read it. */
export interface Announcements {
  /** Newest first. */
  page(userId: number, page: number, pageSize: number): Promise<PageOf<Announcement>>;
  /** Of those that were made since the account exists. */
  unread(userId: number): Promise<number>;
  /** All of them without ids. */
  markRead(userId: number, ids: readonly number[] | undefined): Promise<void>;
  /** `tell`: those who subscribed to its kind are told. */
  create(input: AnnouncementInput, actor: Actor): Promise<void>;
  /** Throws PublicError `not_found`. */
  update(input: AnnouncementUpdate, actor: Actor): Promise<void>;
  /** Throws PublicError `not_found`. */
  remove(id: number, actor: Actor): Promise<void>;
}

export function createAnnouncements(parts: Parts): Announcements {
  const { db, clock } = parts;
  return {
    page: (userId, page, pageSize) => readPage(db, userId, page, pageSize),
    unread: (userId) => countUnread(db, userId),
    markRead: (userId, ids) => markRead(db, userId, ids),
    async create({ tell, ...input }, actor) {
      const now = nowSeconds(clock);
      const stored = { ...input, content: sanitizeMarkup(input.content) };
      await db.transaction(async (tx) => {
        const { id } = await tx.query
          .insertInto('announcement')
          .values({ ...stored, author_id: actor.id, created_at: now, updated_at: now })
          .returning('id')
          .executeTakeFirstOrThrow();
        const message = announcementMessage({ ...stored, serverAddress: parts.serverAddress() });
        if (tell) await tx.perform(publish({ event: input.kind, message, audience: 'all' }, now));
        const detail = { title: input.title, kind: input.kind, tell };
        await tx.perform(recordAudit({ actor, action: 'announcement.create', target: `announcement:${id}`, detail, now }));
      });
    },
    async update({ id, ...input }, actor) {
      const now = nowSeconds(clock);
      await db.transaction(async (tx) => {
        const { numUpdatedRows } = await tx.query
          .updateTable('announcement')
          .set({ ...input, content: sanitizeMarkup(input.content), updated_at: now })
          .where('id', '=', id)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new PublicError('not_found');
        const detail = { title: input.title, kind: input.kind };
        await tx.perform(recordAudit({ actor, action: 'announcement.update', target: `announcement:${id}`, detail, now }));
      });
    },
    async remove(id, actor) {
      const now = nowSeconds(clock);
      await db.transaction(async (tx) => {
        const row = await tx.query.deleteFrom('announcement').where('id', '=', id).returning('title').executeTakeFirst();
        if (row === undefined) throw new PublicError('not_found');
        const detail = { title: row.title };
        await tx.perform(recordAudit({ actor, action: 'announcement.delete', target: `announcement:${id}`, detail, now }));
      });
      await forgetReaders(db, id);
    },
  };
}

const readersAtATime = 1_000;

/** By the marks' key, which begins with the user: looked for by the announcement all marks of all users would be read while calls wait. */
async function forgetReaders(db: Database, id: number): Promise<void> {
  const users = db.read.selectFrom('announcement_read').select('user_id').distinct().orderBy('user_id').limit(readersAtATime);
  for (let page = await users.execute(); page.length > 0; ) {
    const readers = page.map(({ user_id }) => user_id);
    await db.transaction((tx) =>
      tx.query.deleteFrom('announcement_read').where('user_id', 'in', readers).where('announcement_id', '=', id).execute(),
    );
    page = await users.where('user_id', '>', readers.at(-1) ?? 0).execute();
  }
}

function readPage({ read }: Database, userId: number, p: number, page_size: number): Promise<PageOf<Announcement>> {
  return pageOf(read, read.selectFrom('announcement'), { p, page_size }, async (page) => {
    const rows = await page
      .leftJoin('announcement_read as mark', (join) =>
        join.onRef('mark.announcement_id', '=', 'announcement.id').on('mark.user_id', '=', userId),
      )
      .select(['announcement.id', 'kind', 'title', 'content', 'created_at', 'updated_at', 'mark.user_id as reader'])
      .orderBy('announcement.id', 'desc')
      .execute();
    return rows.map(({ reader, kind, ...row }) => ({ ...row, kind: kind as AnnouncementKind, read: reader !== null }));
  });
}

function countUnread({ read }: Database, userId: number): Promise<number> {
  const unread = read
    .selectFrom('announcement')
    .innerJoin('users', (join) => join.onRef('users.created_at', '<=', 'announcement.created_at').on('users.id', '=', userId))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('announcement_read as mark')
            .select('mark.user_id')
            .whereRef('mark.announcement_id', '=', 'announcement.id')
            .where('mark.user_id', '=', userId),
        ),
      ),
    );
  return countRows(unread);
}

async function markRead(db: Database, userId: number, ids: readonly number[] | undefined): Promise<void> {
  await db.transaction(async (tx) => {
    const wanted = tx.query.selectFrom('announcement').select('id');
    const rows = await (ids === undefined ? wanted : wanted.where('id', 'in', [...ids, 0])).execute();
    if (rows.length === 0) return;
    await tx.query
      .insertInto('announcement_read')
      .values(rows.map(({ id }) => ({ user_id: userId, announcement_id: id })))
      .onConflict((conflict) => conflict.columns(['user_id', 'announcement_id']).doNothing())
      .execute();
  });
}
