import { Link } from '@tanstack/react-router';
import type { DashboardToken, DashboardUser, UsageTotals } from '@tollgate/contract';
import { dash_calls_of, dash_others } from '../../i18n/generated/messages.ts';
import { formatNumber } from '../../lib/money.ts';
import { Quota } from '../../ui/Quota.tsx';
import type { LogLink, LogTarget } from './links.ts';

interface Rank extends UsageTotals {
  key: string;
  /** "" = all others. */
  name: string;
  search: LogTarget;
}

/** Who or what used how much, the most first, and all others behind them. */
function Ranks({ ranks }: { ranks: readonly Rank[] }) {
  const most = Math.max(1, ...ranks.map(({ quota }) => quota));
  return (
    <ol>
      {ranks.map(({ key, name, search, quota, calls }) => (
        <li key={key} className="py-1">
          <div className="flex items-baseline gap-2">
            {name === '' ? (
              <span className="truncate">{dash_others()}</span>
            ) : (
              <Link to="/log" search={search} className="truncate text-fg hover:underline">
                {name}
              </Link>
            )}
            <span className="ml-auto whitespace-nowrap text-muted text-xs tabular-nums">
              {dash_calls_of({ count: formatNumber(calls) })}
            </span>
            <span className="min-w-16 text-end font-medium">
              <Quota value={quota} />
            </span>
          </div>
          <div aria-hidden className="mt-1 h-1.5 rounded-sm bg-grey-tint">
            <div className="h-full rounded-sm bg-accent" style={{ width: `${(quota / most) * 100}%` }} />
          </div>
        </li>
      ))}
    </ol>
  );
}

export const UserRanks = ({ users, link }: { users: readonly DashboardUser[]; link: LogLink }) => (
  <Ranks
    ranks={users.map(({ user_id: id, username, ...sums }) => ({
      ...{ ...sums, key: `${id} ${username}`, name: id === 0 ? '' : username },
      search: link({ user: username }),
    }))}
  />
);

export const TokenRanks = ({ tokens, link }: { tokens: readonly DashboardToken[]; link: LogLink }) => (
  <Ranks ranks={tokens.map(({ token_name: name, ...sums }) => ({ ...sums, key: name, name, search: link({ token: name }) }))} />
);
