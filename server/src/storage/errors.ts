/** What a failure of the database means for the caller, the same on both engines. */
export type DatabaseErrorKind =
  /** A unique key exists already. */
  | 'unique'
  /** A CHECK, NOT NULL, foreign key, type or trigger refused the row. */
  | 'constraint'
  /** Lock, deadlock or serialization failure: the transaction did nothing and may be repeated. */
  | 'busy'
  /** The database cannot be reached; nothing was committed. */
  | 'unavailable'
  /** The connection was lost during COMMIT and the outcome could not be learned. */
  | 'unknown'
  /** No space or an I/O error: nothing was committed. */
  | 'full'
  | 'other';

export class DatabaseError extends Error {
  readonly kind: DatabaseErrorKind;
  /** The engine's own code (`23505`, `SQLITE_BUSY`), "" when it has none. */
  readonly code: string;

  constructor(kind: DatabaseErrorKind, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'DatabaseError';
    this.kind = kind;
    this.code = code;
  }
}

/** True when a unique key refused the row: the caller's cue for "taken". */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unique';
}

/** True when the transaction certainly did nothing and the same may work a moment later. */
export function isRepeatable(error: unknown): boolean {
  return error instanceof DatabaseError && (error.kind === 'busy' || error.kind === 'unavailable');
}

/** True for every failure that is the database's state and not the statement's fault. */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    (error.kind === 'busy' || error.kind === 'unavailable' || error.kind === 'full' || error.kind === 'unknown')
  );
}

/** True when nobody can tell whether the transaction was committed. */
export function isUnknownOutcome(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'unknown';
}

/** True when a statement named a table or column that is not there. */
export function isMissingName(error: unknown): boolean {
  return error instanceof DatabaseError && ['SQLITE_ERROR', '42P01', '42703'].includes(error.code);
}

/** Classifies a code of SQLite (`SQLITE_...`). */
export function sqliteKind(code: string): DatabaseErrorKind {
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'unique';
  if (code.startsWith('SQLITE_CONSTRAINT') || code === 'SQLITE_MISMATCH') return 'constraint';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'busy';
  if (code === 'SQLITE_FULL' || code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_READONLY')) return 'full';
  if (code.startsWith('SQLITE_CANTOPEN')) return 'unavailable';
  return 'other';
}

/** Classifies a SQLSTATE of PostgreSQL or an error code of its socket. */
export function postgresKind(code: string): DatabaseErrorKind {
  if (code === '23505') return 'unique';
  if (code.startsWith('23') || code === 'P0001') return 'constraint';
  if (code === '40001' || code === '40P01' || code === '55P03' || code === '57014') return 'busy';
  // 58: the disk under it fails.
  if (code === '53100' || code.startsWith('58')) return 'full';
  // 08 connection, 28 not let in (a password was changed), 53 resources, 57P0x shutdown, 25006 read-only replica, 25P0x session ended by a time-out.
  if (/^(08|28|53|57P|25006|25P0[34]|E[A-Z]+$)/.test(code)) return 'unavailable';
  return 'other';
}
