import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Status } from '@tollgate/contract';
import { defaultQuotaPerUnit } from '@tollgate/contract';
import { isRecord } from '../lib/json.ts';
import type { MoneyFormat } from '../lib/money.ts';
import { readJson, writeJson } from '../lib/storage.ts';
import { call } from './call.ts';
import { routes } from './routes.ts';

const storageKey = 'status';
/** Looked at again after so long, whenever the window is: somebody may have updated the server or changed a setting. */
const freshMs = 300_000;
const isStatus = (value: unknown): value is Status =>
  isRecord(value) && typeof value.system_name === 'string' && typeof value.quota_per_unit === 'number';

/** The public status object: asked once, remembered for the next visit's first paint. */
export const statusQuery = queryOptions({
  queryKey: ['status'],
  queryFn: async ({ signal }) => {
    const status = await call(routes.site.status, { signal });
    writeJson(storageKey, status);
    return status;
  },
  staleTime: freshMs,
  refetchOnWindowFocus: true,
  placeholderData: () => readJson(storageKey, isStatus),
});

export const useStatus = (): Status | undefined => useQuery(statusQuery).data;

/** False while nobody knows yet what the site offers: for pages whose very shape depends on it. */
export const useStatusKnown = (): boolean => {
  const { data, isFetched } = useQuery(statusQuery);
  // Whatever shows itself then asks once more for what failed, which is no reason to take it away again.
  return data !== undefined || isFetched;
};

export const moneyFormatOf = (status: Status | undefined): MoneyFormat => ({
  quotaPerUnit: status?.quota_per_unit || defaultQuotaPerUnit,
  inCurrency: status?.display_in_currency ?? true,
});

export const useMoney = (): MoneyFormat => moneyFormatOf(useStatus());
/** For the `key` of a form that is filled with amounts: in another unit the same texts are other amounts. */
export const useMoneyKey = (): string => JSON.stringify(useMoney());

/** The address that programs call: the operator's, else the one the console was opened with. */
export const serverAddressOf = (status: Status | undefined): string =>
  (status?.server_address || location.origin).replace(/\/+$/, '');
