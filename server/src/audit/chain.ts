import { sha256 } from '../platform/crypto.ts';

/** What a row of the chain says, without its hash. */
export interface AuditRow {
  readonly seq: number;
  readonly created_at: number;
  readonly actor_id: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly detail: string;
  readonly ip: string;
}

/** Hash of a row that follows one with `previousHash` ("" before the first). */
export function chainHash(previousHash: string, row: AuditRow): string {
  const { seq, created_at, actor_id, actor, action, target, detail, ip } = row;
  return sha256(`${previousHash}\n${JSON.stringify([seq, created_at, actor_id, actor, action, target, detail, ip])}`);
}
