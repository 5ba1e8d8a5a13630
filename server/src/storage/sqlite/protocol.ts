import type { StatementResult } from '../database.ts';
import type { PackedRows } from './rows.ts';

/** How a thread opens its connection. */
export interface ThreadConfig {
  file: string;
  /** What it is there for; who analyses may take long, and calls do not wait for it. */
  role: 'write' | 'read' | 'analyse';
  synchronous: 'FULL' | 'NORMAL';
  /** Module with `works`; "" where none run. */
  worksUrl: string;
  /** How often its heap is collected while it is used; otherwise each minute. */
  collectMs?: number;
}

/** What each of the two halves of its room for young objects has from the start, in MB: room that comes and goes with the load is touched anew each time. */
export const firstYoungMb: Record<ThreadConfig['role'], number> = { write: 16, read: 4, analyse: 4 };

export type Call =
  | { op: 'query'; sql: string; parameters: readonly unknown[] }
  | { op: 'begin' | 'commit' | 'rollback' | 'close' }
  | { op: 'run'; name: string; input: unknown };

export type Request = Call & { id: number };

export type Response = { id: number; value: unknown } | { id: number; failure: { code: string; message: string } };

export type QueryAnswer = StatementResult | { packed: PackedRows; changes: number };
