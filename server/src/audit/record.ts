import type { AuditAction } from '@tollgate/contract';
import type { Work } from '../storage/database.ts';
import { keptText } from '../storage/statements.ts';
import { type AuditRow, chainHash } from './chain.ts';

/** Who did it. `id` 0: nobody was signed in, or the command line. */
export interface Actor {
  readonly id: number;
  readonly username: string;
  readonly ip: string;
}

export interface AuditEvent {
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What it was done to: `user:7`, `option:Notice`, `channel:3`. */
  readonly target: string;
  /** Becomes JSON. No secrets: their hash at most. */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** Unix seconds. */
  readonly now: number;
}

/** The command line, where nobody is signed in. */
export const commandLine: Actor = { id: 0, username: 'command line', ip: '' };

/** What of `after` was otherwise before, by name: the detail of a change. */
export function changesBetween(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  const known = new Map<string, unknown>(Object.entries(before));
  const changes = Object.entries(after).map(([name, to]) => [name, { from: known.get(name) ?? null, to }] as const);
  return Object.fromEntries(changes.filter(([, { from, to }]) => from !== to));
}

/**
 * Appends a row; perform it inside the transaction of what it tells of, as the last step: from here on other
 * writers of the chain wait for the commit.
 */
export function* recordAudit({ actor, action, target, detail = {}, now }: AuditEvent): Work<void> {
  const head = yield { sql: 'UPDATE audit_head SET seq = seq + 1 WHERE id = 1 RETURNING seq, hash', parameters: [] };
  const seq = Number(head.rows[0]?.seq);
  const row: AuditRow = {
    seq,
    created_at: now,
    actor_id: actor.id,
    actor: keptText(actor.username),
    action,
    target: keptText(target),
    detail: JSON.stringify(detail),
    ip: actor.ip,
  };
  const hash = chainHash(String(head.rows[0]?.hash ?? ''), row);
  yield {
    sql:
      'INSERT INTO audit (seq, created_at, actor_id, actor, action, target, detail, ip, hash) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    parameters: [seq, now, row.actor_id, row.actor, action, row.target, row.detail, row.ip, hash],
  };
  yield { sql: 'UPDATE audit_head SET hash = ? WHERE id = 1', parameters: [hash] };
}
