export { accountBalance, createTokenQuota, openWallet, setTokenQuota, type TokenQuotaChange, transfer } from './accounts.ts';
export { nanoToNumber, parseNano } from './decimal.ts';
export { LedgerRefusal, LedgerUnavailable } from './errors.ts';
export { createLedger } from './ledger.ts';
export { affordableCap, costOf, holdAmount } from './price.ts';
export { createPriceBook, type DefaultPrice, type PriceBook } from './price-book.ts';
export { type Signer, verifyReceipt, writeReceipt } from './receipts.ts';
export { proveLedger } from './reconcile.ts';
export type * from './types.ts';
