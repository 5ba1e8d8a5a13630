import { type FailureEvidence, isEvidence } from './health-classes.ts';

/** What decides whether a failure switches a channel off (contract 4.9). */
export interface DisableRules {
  /** Option AutomaticDisableChannelEnabled. */
  readonly enabled: boolean;
  /** The channel's auto_ban. */
  readonly autoBan: boolean;
  /** Option AutomaticDisableKeywords: one per line. */
  readonly keywords: string;
  /** Further statuses that mean, at this vendor, that the key is dead. */
  readonly keyRefusals?: readonly number[] | undefined;
  /** The text (lower case) stands in the caller's own request, so that the upstream may only be quoting it. */
  readonly saidByCaller: (text: string) => boolean;
}

const deadCodes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const deadTypes = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);

/** Why this failure switches the channel (or its key) off; undefined = it does not. Only what the upstream itself said counts. */
export function disableReason(evidence: FailureEvidence, rules: DisableRules): string | undefined {
  if (!rules.enabled || !rules.autoBan || evidence.status === 0) return undefined;
  const { status, code, type, message } = evidence;
  const reason = message === '' ? `status code ${status}` : message;
  if (status === 401 || rules.keyRefusals?.includes(status) === true) return reason;
  if (deadCodes.has(code) || deadTypes.has(type)) return reason;
  if (!isEvidence(evidence.class) && status < 400) return undefined;
  return speaksOfAccount(message, rules) ? reason : undefined;
}

/** The operator's words for an account that can do nothing more stand in the upstream's own. */
export function speaksOfAccount(
  text: string,
  { keywords, saidByCaller }: Pick<DisableRules, 'keywords' | 'saidByCaller'>,
): boolean {
  const message = text.toLowerCase();
  return keywords.split('\n').some((line) => {
    const keyword = line.trim().toLowerCase();
    return keyword !== '' && message.includes(keyword) && !saidByCaller(keyword);
  });
}
