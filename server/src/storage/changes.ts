import type { Work } from './database.ts';

/** What snapshots and caches are made of. */
export const changeKinds = ['channel', 'option', 'token', 'user'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** One committed change that snapshots and caches must see. A key `*` stands for everything of its kind. */
export interface Change {
  readonly seq: number;
  readonly kind: ChangeKind;
  readonly key: string;
}

/** Records a change; perform it inside the transaction that makes the change. `now` in unix seconds. */
export function* notifyChange(kind: ChangeKind, key: string, now: number): Work<void> {
  yield { sql: 'INSERT INTO change (kind, key, created_at) VALUES (?, ?, ?)', parameters: [kind, key, now] };
}
