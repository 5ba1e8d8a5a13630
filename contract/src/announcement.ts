import * as z from 'zod/mini';
import { countedPage, rowId } from './fields.ts';
import { data, defineRoute, type PageOf } from './route.ts';

/** What an announcement is about; who asked for it is told by the ways of that event. */
export const announcementKinds = ['announcement', 'promotion', 'contact'] as const;
export type AnnouncementKind = (typeof announcementKinds)[number];

/** Something that the operator tells everybody. */
export interface Announcement {
  id: number;
  kind: AnnouncementKind;
  title: string;
  /** Markdown or HTML, cleaned. */
  content: string;
  created_at: number;
  updated_at: number;
  /** By the caller. */
  read: boolean;
}

const fields = {
  kind: z._default(z.enum(announcementKinds), 'announcement'),
  title: z.string().check(z.trim(), z.minLength(1), z.maxLength(120)),
  content: z.string().check(z.trim(), z.minLength(1), z.maxLength(50_000)),
};
const announcementBody = z.object({
  ...fields,
  /** Sends it to those who subscribed to its kind. */
  tell: z._default(z.boolean(), false),
});
const announcementUpdate = z.object({ id: rowId, ...fields });
export type AnnouncementInput = z.infer<typeof announcementBody>;
export type AnnouncementUpdate = z.infer<typeof announcementUpdate>;

export const announcementRoutes = {
  /** Newest first. */
  list: defineRoute({
    method: 'GET',
    path: '/api/announcement',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<Announcement>>(),
  }),
  /** How many the caller has not read, of those that were made since the account exists. */
  unread: defineRoute({ method: 'GET', path: '/api/announcement/unread', access: 'user', data: data<number>() }),
  /** Marks these as read; all of them without ids. */
  read: defineRoute({
    method: 'POST',
    path: '/api/announcement/read',
    access: 'user',
    body: z.object({ ids: z.optional(z.array(rowId).check(z.maxLength(100))) }),
    data: data<undefined>(),
  }),
  create: defineRoute({
    method: 'POST',
    path: '/api/announcement',
    access: 'root',
    body: announcementBody,
    data: data<undefined>(),
  }),
  update: defineRoute({
    method: 'PUT',
    path: '/api/announcement',
    access: 'root',
    body: announcementUpdate,
    data: data<undefined>(),
  }),
  remove: defineRoute({ method: 'DELETE', path: '/api/announcement/:id', access: 'root', data: data<undefined>() }),
} as const;
