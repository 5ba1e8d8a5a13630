import type { TopupOrder } from '@tollgate/contract';
import { useStatus } from '../../api/status.ts';
import {
  col_created,
  col_status,
  wallet_amount,
  wallet_checkout,
  wallet_method,
  wallet_order_copy,
  wallet_order_done,
  wallet_order_money,
  wallet_order_number,
  wallet_order_quota,
  wallet_order_refunded,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { StatusDot } from '../Badge.tsx';
import { CopyButton } from '../CopyButton.tsx';
import { Quota } from '../Quota.tsx';
import { Time } from '../Time.tsx';
import type { Column } from '../table/columns.ts';
import { moneyText, orderFaces } from './order.ts';

const none = <span className="text-muted">–</span>;

function State({ order }: { order: TopupOrder }) {
  const { text, tone } = orderFaces[order.status];
  return <StatusDot tone={tone}>{text()}</StatusDot>;
}

/** The number of an order, to be copied into a question to the payment service. */
export function OrderNumber({ number }: { number: string }) {
  if (number === '') return none;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <code className="min-w-24 whitespace-normal break-all">{number}</code>
      <CopyButton text={number} label={wallet_order_copy()} />
    </span>
  );
}

/** A method by the name that the operator gave it. A service without methods of its own has its hosted page. */
function Method({ order: { payment_method: method, provider } }: { order: TopupOrder }) {
  const known = useStatus()?.pay_methods.find(({ type }) => type === method);
  return method === '' || method === provider ? wallet_checkout() : (known?.name ?? method);
}

/** With what was given back of it, as long as that is not all. */
function Money({ order: { money, refunded, currency, status } }: { order: TopupOrder }) {
  const isPart = Number(refunded) > 0 && status !== 'refunded';
  return (
    <div>
      {moneyText(money, currency)}
      {isPart && <div className="text-muted text-xs">{wallet_order_refunded({ money: moneyText(refunded, currency) })}</div>}
    </div>
  );
}

/** An order as its payer sees it. */
export const orderColumns: readonly Column<TopupOrder>[] = [
  { id: 'number', header: wallet_order_number, card: 'title', cell: (order) => <OrderNumber number={order.trade_no} /> },
  { id: 'status', header: col_status, card: 'corner', cell: (order) => <State order={order} /> },
  { id: 'method', header: wallet_method, cell: (order) => <Method order={order} /> },
  {
    id: 'amount',
    header: wallet_amount,
    end: true,
    // As it was entered: dollars, or quota.
    cell: ({ amount, quota }) => (amount === quota ? '' : '$') + formatUnits(amount),
  },
  { id: 'quota', header: wallet_order_quota, end: true, cell: (order) => <Quota value={order.quota} /> },
  { id: 'money', header: wallet_order_money, end: true, cell: (order) => <Money order={order} /> },
  { id: 'created', header: col_created, cell: (order) => <Time seconds={order.create_time} /> },
  {
    id: 'done',
    header: wallet_order_done,
    cell: (order) => (order.complete_time > 0 ? <Time seconds={order.complete_time} /> : none),
  },
];
