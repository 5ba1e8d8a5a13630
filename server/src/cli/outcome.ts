import type { Clock } from '../platform/clock.ts';

/** What a command found, for people and for programs. */
export interface Outcome {
  /** 1 = it found something that is not as it should be; 2 = what it was given cannot be used. */
  readonly exitCode: 0 | 1 | 2;
  readonly text: string;
  /** What `--json` prints. */
  readonly json: unknown;
}

/** What the commands have of the world. */
export interface CliWorld {
  readonly env: Record<string, string | undefined>;
  readonly clock: Clock;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The arguments cannot be understood: exit code 2. */
export class UsageError extends Error {}
