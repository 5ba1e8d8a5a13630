import { Link } from '@tanstack/react-router';
import type { DashboardUser } from '@tollgate/contract';
import { dash_calls_of, dash_others } from '../../i18n/generated/messages.ts';
import { formatNumber } from '../../lib/money.ts';
import { Quota } from '../../ui/Quota.tsx';
import type { LogLink } from './links.ts';

/** Who used how much, the most first, and all others behind them. */
export function UserRanks({ users, link }: { users: readonly DashboardUser[]; link: LogLink }) {
  const most = Math.max(1, ...users.map(({ quota }) => quota));
  return (
    <ol>
      {users.map(({ user_id, username, quota, calls }) => (
        <li key={`${user_id} ${username}`} className="py-1">
          <div className="flex items-baseline gap-2">
            {user_id === 0 ? (
              <span className="truncate">{dash_others()}</span>
            ) : (
              <Link to="/log" search={link({ user: username })} className="truncate text-fg hover:underline">
                {username}
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
