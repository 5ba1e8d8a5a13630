import type { InviteRecord, TopupOrder } from '@tollgate/contract';
import {
  col_created,
  col_status,
  wallet_aff_paid,
  wallet_aff_time,
  wallet_aff_user,
  wallet_aff_waiting,
  wallet_method,
  wallet_order_amount,
  wallet_order_done,
  wallet_order_money,
  wallet_order_number,
  wallet_order_quota,
} from '../../i18n/generated/messages.ts';
import { StatusDot } from '../../ui/Badge.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { moneyText, orderFaces } from './model.ts';

const none = <span className="text-muted">-</span>;

function State({ order }: { order: TopupOrder }) {
  const { text, tone } = orderFaces[order.status];
  return <StatusDot tone={tone}>{text()}</StatusDot>;
}

export const orderColumns: readonly Column<TopupOrder>[] = [
  {
    id: 'number',
    header: wallet_order_number,
    card: 'title',
    cell: (order) => <code className="break-all">{order.trade_no}</code>,
  },
  { id: 'status', header: col_status, card: 'corner', cell: (order) => <State order={order} /> },
  { id: 'method', header: wallet_method, cell: (order) => order.payment_method || order.provider },
  { id: 'amount', header: wallet_order_amount, end: true, cell: (order) => order.amount.toLocaleString('en-US') },
  { id: 'quota', header: wallet_order_quota, end: true, cell: (order) => <Quota value={order.quota} /> },
  { id: 'money', header: wallet_order_money, end: true, cell: (order) => moneyText(order.money, order.currency) },
  { id: 'created', header: col_created, cell: (order) => <Time seconds={order.create_time} /> },
  {
    id: 'done',
    header: wallet_order_done,
    cell: (order) => (order.complete_time > 0 ? <Time seconds={order.complete_time} /> : none),
  },
];

export const inviteColumns: readonly Column<InviteRecord>[] = [
  { id: 'user', header: wallet_aff_user, card: 'title', cell: (row) => row.username },
  { id: 'created', header: wallet_aff_time, cell: (row) => <Time seconds={row.created_time} /> },
  { id: 'paid', header: wallet_aff_paid, end: true, cell: (row) => <Quota value={row.paid_quota} /> },
  { id: 'waiting', header: wallet_aff_waiting, end: true, cell: (row) => <Quota value={row.waiting_quota} /> },
];
