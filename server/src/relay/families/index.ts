import type { chat } from '@tollgate/wire';
import type { Family } from '../../providers/index.ts';

/** What is asked for beside chat, as the relay sees it. */
export interface FamilyRecord {
  readonly family: Family;
  readonly surface: chat.Surface;
}

/** Every family by the name of its endpoint's protocol. */
export const families: ReadonlyMap<string, FamilyRecord> = new Map();
