export { createTokenQuota, movementsOnly, openWallet, setTokenQuota, tokenQuotaVersion, transfer } from './accounts.ts';
export { adjustBalance } from './adjust.ts';
export { affiliateBalances } from './affiliate.ts';
export { dividendSource, feeSink, moneyOfAgents, moneyOfAllAgents, nothingEarned, payoutSink } from './agent-money.ts';
export { type Balance, balanceOf, taskHoldsOf } from './balance.ts';
export { nano, nanoToNumber, nanoToText, parseNano as decimalToNano } from './decimal.ts';
export { agentCurrency, defaultRate, matureDividends } from './dividends.ts';
export { LedgerRefusal, LedgerUnavailable } from './errors.ts';
export { type GiveBack, giveBack } from './give-back.ts';
export { cutLeases } from './hold-leases.ts';
export { asciiJson, type OwnNote, type SharedNote } from './hold-notes.ts';
export { rewardInvitation, voidRewardsFor } from './invite.ts';
export { collectOwed } from './invite-reversal.ts';
export { createInvites, type Invites } from './invite-view.ts';
export { createLedger, type ForgottenCall } from './ledger.ts';
export { soldBelow } from './margins.ts';
export { bookOpening, movedTokenQuota, type OpeningTotals, openChannelFigures, openingTotals } from './opening.ts';
export { filledOutboxes, leftOutboxes, type Outbox, openOutbox, type ReplayResult } from './outbox.ts';
export { ledgerSources, ledgerState } from './outstanding.ts';
export { affordableCap, costOf, holdAmount, type Reach, tierOf, unitsOfSeconds, withSurcharge } from './price.ts';
export { createPriceBook, type DefaultPrice, type PriceBook, priceName } from './price-book.ts';
export { createPrices, type Prices } from './price-service.ts';
export { priceTables } from './price-tables.ts';
export { lastProof, passReceipts, unprovenSince } from './proof-state.ts';
export { createProofWatch, type ProofWatch } from './proof-watch.ts';
export { bookedCalls, chargesAfter, isSwept, type ReceiptFault, receiptFault } from './prove-receipts.ts';
export { cutOf, readReceipt } from './receipt-view.ts';
export { type Signer, writeReceipt } from './receipts.ts';
export { proveLedger } from './reconcile.ts';
export { createRedemptions, type Redemptions, sealedCodes } from './redeem.ts';
export {
  changeImportedCode,
  type ImportedCode,
  insertImportedCode,
  redemptionFault,
  retireImportedCode,
} from './redeem-imported.ts';
export { type Choices, tierOfCall, tierRatio, withServiceTier } from './service-tier.ts';
export { createStatements, monthOf, type Statements } from './statement.ts';
export { chargedTools, pricedTools, type ToolPrices, withToolPrices } from './tool-price.ts';
export { createTopups, type Topups } from './topup.ts';
export { newestUnmatched, sealedNotices, unmatchedPayments } from './topup-inbox.ts';
export type * from './types.ts';
export type { Payer, WalletDeps } from './wallet-deps.ts';
export {
  cancelWithdrawal,
  claimWithdrawal,
  type Handler,
  openWithdrawals,
  payWithdrawal,
  quoteWithdrawal,
  rejectWithdrawal,
  releaseWithdrawal,
  withdraw,
} from './withdrawals.ts';
