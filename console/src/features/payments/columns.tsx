import { Link } from '@tanstack/react-router';
import type { InboxEntry, TopupOrder } from '@tollgate/contract';
import {
  col_actions,
  col_status,
  col_user,
  payment_detail,
  payment_kind,
  payment_last,
  payment_order_id,
  payment_provider,
  payment_received,
  payment_seen,
  payment_summary,
  wallet_order_money,
  wallet_order_number,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { StatusDot } from '../../ui/Badge.tsx';
import { JsonText } from '../../ui/JsonText.tsx';
import { OrderNumber, orderColumns } from '../../ui/payment/columns.tsx';
import { moneyText } from '../../ui/payment/order.ts';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { EntryActions } from './EntryActions.tsx';
import { faceOf } from './model.ts';
import { OrderActions } from './OrderActions.tsx';

const link = 'text-accent hover:underline';

/** Who an order belongs to, as the way to that user. */
function Payer({ order }: { order: TopupOrder }) {
  return (
    <Link to="/user/edit/$id" params={{ id: String(order.user_id) }} className={link}>
      {order.username || `#${order.user_id}`}
    </Link>
  );
}

const [number, status, ...others] = orderColumns;
const payer: Column<TopupOrder> = { id: 'user', header: col_user, clip: true, cell: (order) => <Payer order={order} /> };

const actions: Column<TopupOrder> = {
  id: 'actions',
  header: col_actions,
  end: true,
  card: 'actions',
  cell: (order) => <OrderActions order={order} />,
};

/** An order as an administrator sees it: also whose it is, and what may be done about it. */
export const everyOrderColumns: readonly Column<TopupOrder>[] = [number, status, payer, ...others, actions].filter(
  (column) => column !== undefined,
);

function Verdict({ entry }: { entry: InboxEntry }) {
  const { text, tone } = faceOf(entry.verdict);
  return <StatusDot tone={tone}>{text}</StatusDot>;
}

export const entryColumns: readonly Column<InboxEntry>[] = [
  { id: 'received', header: payment_received, card: 'title', cell: (entry) => <Time seconds={entry.received_at} /> },
  { id: 'verdict', header: col_status, card: 'corner', cell: (entry) => <Verdict entry={entry} /> },
  { id: 'number', header: wallet_order_number, cell: (entry) => <OrderNumber number={entry.trade_no} /> },
  { id: 'money', header: wallet_order_money, end: true, cell: (entry) => moneyText(entry.money, entry.currency) || '–' },
  { id: 'provider', header: payment_provider, cell: (entry) => entry.provider },
  { id: 'kind', header: payment_kind, clip: true, cell: (entry) => <code className="text-xs">{entry.kind || '–'}</code> },
  { id: 'seen', header: payment_seen, end: true, cell: (entry) => formatUnits(entry.seen) },
  { id: 'actions', header: col_actions, end: true, card: 'actions', cell: (entry) => <EntryActions entry={entry} /> },
];

/** A notice in full. */
export function EntryDetail({ entry }: { entry: InboxEntry }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 max-sm:grid-cols-1 max-sm:gap-y-0.5">
      {entry.detail && (
        <>
          <dt className="text-muted text-xs">{payment_detail()}</dt>
          <dd className="min-w-0 break-words">{entry.detail}</dd>
        </>
      )}
      {entry.order_id > 0 && (
        <>
          <dt className="text-muted text-xs">{payment_order_id()}</dt>
          <dd>
            <Link to="/payment" search={{ trade: entry.trade_no }} className={link}>
              #{entry.order_id}
            </Link>
          </dd>
        </>
      )}
      <dt className="text-muted text-xs">{payment_last()}</dt>
      <dd>
        <Time seconds={entry.last_at} />
      </dd>
      <dt className="text-muted text-xs">{payment_summary()}</dt>
      <dd className="min-w-0">
        <JsonText text={entry.summary} />
      </dd>
    </dl>
  );
}
