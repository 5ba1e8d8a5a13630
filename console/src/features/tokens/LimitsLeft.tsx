import { useQuery } from '@tanstack/react-query';
import { useMoney } from '../../api/status.ts';
import {
  left_answered,
  left_concurrency,
  left_custom,
  left_day,
  left_group,
  left_month,
  left_none,
  left_of,
  left_rpd,
  left_rpm,
  left_title,
  left_token,
  left_tpm,
  nav_part_account,
} from '../../i18n/generated/messages.ts';
import { isRecord } from '../../lib/json.ts';
import { formatQuota, formatUnits, type MoneyFormat } from '../../lib/money.ts';
import { ProgressBar } from '../../ui/ProgressBar.tsx';

interface Limit {
  of: string;
  limit: string;
  allowed: number;
  used: number;
}

const owners: Readonly<Record<string, () => string>> = { token: left_token, user: nav_part_account, group: left_group };
const names: Readonly<Record<string, () => string>> = {
  ...{ rpm: left_rpm, tpm: left_tpm, rpd: left_rpd, concurrency: left_concurrency, quota_day: left_day },
  ...{ quota_month: left_month, custom: left_custom, answered: left_answered },
};

const isLimit = (value: unknown): value is Limit =>
  isRecord(value) && typeof value.of === 'string' && typeof value.limit === 'string' && typeof value.allowed === 'number';

/** The same view that programs have of their key; null where it is refused. */
async function readLimits(key: string, signal: AbortSignal): Promise<Limit[] | null> {
  const answer = await fetch('/v1/limits', { headers: { Authorization: `Bearer ${key}` }, signal });
  if (!answer.ok) return null;
  const value: unknown = await answer.json();
  return isRecord(value) && Array.isArray(value.data) ? value.data.filter(isLimit) : [];
}

function amount({ limit }: Limit, value: number, format: MoneyFormat): string {
  return limit.startsWith('quota') ? formatQuota(value, format) : formatUnits(value);
}

/** What a token may still ask for, under its own limits and those of its owner. */
export function LimitsLeft({ apiKey }: { apiKey: string }) {
  const format = useMoney();
  const { data } = useQuery({
    queryKey: ['token', 'limits', apiKey],
    queryFn: ({ signal }) => readLimits(apiKey, signal),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: 10_000,
  });
  if (!data) return null;
  return (
    <section>
      <h3 className="mb-1 font-medium">{left_title()}</h3>
      {data.length === 0 && <p className="text-muted text-xs">{left_none()}</p>}
      <ul className="flex flex-col gap-2">
        {data.map((one) => (
          <li key={`${one.of} ${one.limit}`} className="text-xs">
            <p className="flex gap-2">
              <span className="grow">{`${owners[one.of]?.() ?? one.of} · ${names[one.limit]?.() ?? one.limit}`}</span>
              <span className="tabular-nums">
                {left_of({
                  left: amount(one, Math.max(0, one.allowed - one.used), format),
                  allowed: amount(one, one.allowed, format),
                })}
              </span>
            </p>
            <ProgressBar
              aria-label={names[one.limit]?.() ?? one.limit}
              max={one.allowed}
              value={Math.min(one.used, one.allowed)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
