/** The ledger could not be reached in time, or too many wait for it. Nothing was charged to the caller's knowledge. */
export class LedgerUnavailable extends Error {
  readonly code = 'billing_unavailable';

  constructor(reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'LedgerUnavailable';
  }
}

/** A movement that the ledger refuses: the caller's transaction must not be committed. */
export class LedgerRefusal extends Error {
  readonly code: 'insufficient' | 'ref_reused' | 'no_wallet' | 'invalid' | 'moved';

  constructor(code: LedgerRefusal['code'], message: string) {
    super(message);
    this.name = 'LedgerRefusal';
    this.code = code;
  }
}
