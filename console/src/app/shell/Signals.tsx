import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bell as Icon } from 'lucide-react';
import { selfQuery } from '../../api/self.ts';
import { useMoney } from '../../api/status.ts';
import { unreadQuery } from '../../api/unread.ts';
import { balance_label, bell_unread, nav_announcement } from '../../i18n/generated/messages.ts';
import { Quota } from '../../ui/Quota.tsx';

const most = 99;
/** Dollars from which on cents would take the room of what tells more, and phones have none for a figure of full size. */
const large = 100_000;

/** The signed-in user's balance. */
function BalanceChip() {
  const { data, isError } = useQuery(selfQuery);
  const { quotaPerUnit } = useMoney();
  const isLarge = data !== undefined && data.quota >= large * quotaPerUnit;
  return (
    <span className="inline-flex h-7 min-w-0 items-center gap-1.5 rounded-md bg-grey-tint px-2.5 max-sm:px-1">
      <span className="shrink-0 text-muted max-sm:sr-only">{balance_label()}</span>
      <span className={`truncate text-end font-medium max-[389px]:text-xs sm:min-w-15 ${isLarge ? 'max-sm:text-xs' : ''}`}>
        {data ? <Quota value={data.quota} digits={isLarge ? 0 : 2} /> : isError ? '–' : <span className="skeleton w-12" />}
      </span>
    </span>
  );
}

/** Leads to the announcements and says how many are unread. */
function Bell() {
  const { data: unread = 0 } = useQuery(unreadQuery);
  const label = unread > 0 ? bell_unread({ count: unread }) : nav_announcement();
  return (
    <Link
      to="/announcement"
      aria-label={label}
      data-tip={label}
      className="relative inline-grid size-8 place-items-center rounded-md text-fg hover:bg-grey-tint max-sm:size-10 max-[389px]:w-9"
    >
      <Icon size={16} aria-hidden />
      {unread > 0 && (
        <span
          aria-hidden
          className="absolute top-0.5 left-4 min-w-4 rounded-full bg-bad whitespace-nowrap px-1 text-center font-medium text-[10px] text-surface leading-4"
        >
          {unread > most ? `${most}+` : unread}
        </span>
      )}
    </Link>
  );
}

/** What the signed-in user has and has not read. */
export function Signals() {
  return (
    <>
      <BalanceChip />
      <Bell />
    </>
  );
}
