import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import { useSelfChange } from '../../api/write.ts';
import { invite_transfer_maximum, invite_transfer_minimum } from '../../i18n/generated/messages.ts';
import { formatQuota, type MoneyFormat, parseQuota } from '../../lib/money.ts';

/** At least one unit, at most what is pending. */
export function transferFault(text: string, pending: number, format: MoneyFormat): string | undefined {
  const quota = parseQuota(text, format) ?? 0;
  if (quota < format.quotaPerUnit) return invite_transfer_minimum({ amount: formatQuota(format.quotaPerUnit, format) });
  return quota > pending ? invite_transfer_maximum({ amount: formatQuota(pending, format) }) : undefined;
}

export const useInviteTransfer = () =>
  useSelfChange((quota: number) => call(routes.personal.transferInvites, { body: { quota } }));
