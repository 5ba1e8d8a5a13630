import type { ChangeSignal } from '../platform/change-signal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';

export interface AgentDeps {
  db: Database;
  clock: Clock;
  changes: ChangeSignal;
  options(): Options;
}

/** An administrator as services judge them. */
export interface Reviewer {
  id: number;
  username: string;
  ip: string;
  role: number;
}
