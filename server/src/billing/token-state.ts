/** The contract's token states that the ledger sets; its own constants, because the writer thread must not load Zod. */
export const tokenState = { enabled: 1, exhausted: 4 } as const;
