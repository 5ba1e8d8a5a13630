import { Link } from '@tanstack/react-router';
import { type AgentDividend, type AgentWithdrawal, dividendStatus, withdrawalStatus } from '@tollgate/contract';
import type { ReactNode } from 'react';
import {
  agent_account,
  agent_agent,
  agent_amount,
  agent_asked_at,
  agent_bank,
  agent_copy_account,
  agent_copy_reference,
  agent_customer,
  agent_dividend,
  agent_fee_paid,
  agent_finished_at,
  agent_mature_at,
  agent_method,
  agent_method_quota,
  agent_net,
  agent_order_money,
  agent_order_none,
  agent_payee,
  agent_rate,
  agent_reason,
  agent_reference,
  agent_remark,
  agent_reversed,
  agent_reviewer,
  agent_settled_at,
  col_actions,
  col_created,
  col_status,
  wallet_order_number,
} from '../../i18n/generated/messages.ts';
import { StatusDot } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FactList } from '../../ui/FactList.tsx';
import { MaskedName } from '../../ui/MaskedName.tsx';
import { Quota } from '../../ui/Quota.tsx';
import { Time } from '../../ui/Time.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { dividendFaces, methodNames, money, rateText, withdrawalFaces } from './model.ts';

const none = <span className="text-muted">–</span>;
const timeOr = (seconds: number) => (seconds > 0 ? <Time seconds={seconds} /> : none);

/** The name of an agent in everybody's lists: the way to the records of that one alone. */
function AgentLink({ id, name, tab }: { id: number; name: string; tab: 'withdrawals' | 'dividends' }) {
  return (
    <Link to="/agent/manage" search={{ tab, agent: id }} className="text-accent leading-6 hover:underline">
      {name || `#${id}`}
    </Link>
  );
}

function DividendState({ row }: { row: AgentDividend }) {
  const { text, tone } = dividendFaces[row.status];
  return <StatusDot tone={tone}>{text()}</StatusDot>;
}

/** What a dividend is worth now: less what was taken back. */
function Worth({ row }: { row: AgentDividend }) {
  const back = row.reversed > 0;
  return (
    <span data-tip={back ? `${agent_reversed()} ${money(row.reversed)}` : undefined}>
      {back && <s className="mr-1.5 text-muted">{money(row.amount)}</s>}
      {money(row.amount - row.reversed)}
    </span>
  );
}

/** `forAll`: with whose they are and the orders they come from. */
export function dividendColumns(forAll: boolean): readonly Column<AgentDividend>[] {
  const columns: (Column<AgentDividend> | false)[] = [
    { id: 'created', header: col_created, card: 'title', cell: (row) => <Time seconds={row.created_at} /> },
    { id: 'status', header: col_status, card: 'corner', cell: (row) => <DividendState row={row} /> },
    forAll && {
      id: 'agent',
      header: agent_agent,
      clip: true,
      cell: (row) => <AgentLink id={row.agent_id} name={row.agent} tab="dividends" />,
    },
    { id: 'customer', header: agent_customer, clip: true, cell: (row) => <MaskedName name={row.username} id={row.user_id} /> },
    forAll && {
      id: 'order',
      header: wallet_order_number,
      cell: (row) =>
        row.trade_no === '' ? (
          <span className="text-muted">{agent_order_none()}</span>
        ) : (
          <Link
            to="/payment"
            search={{ trade: row.trade_no }}
            className="break-all font-mono text-accent text-xs leading-6 hover:underline"
          >
            {row.trade_no}
          </Link>
        ),
    },
    { id: 'money', header: agent_order_money, end: true, cell: (row) => money(row.topup_money) },
    { id: 'rate', header: agent_rate, end: true, cell: (row) => rateText(row.rate) },
    { id: 'amount', header: agent_dividend, end: true, cell: (row) => <Worth row={row} /> },
    {
      id: 'mature',
      header: agent_mature_at,
      cell: (row) => (row.status === dividendStatus.pending ? <Time seconds={row.mature_at} /> : none),
    },
    { id: 'settled', header: agent_settled_at, cell: (row) => timeOr(row.settled_at) },
  ];
  return columns.filter((column) => column !== false);
}

function WithdrawalState({ row }: { row: AgentWithdrawal }) {
  const { text, tone } = withdrawalFaces[row.status];
  return (
    <StatusDot tone={tone} tip={row.status === withdrawalStatus.rejected ? row.reject_reason || undefined : undefined}>
      {text()}
    </StatusDot>
  );
}

/** What is received: money elsewhere, or quota here. */
function Net({ row }: { row: AgentWithdrawal }) {
  return row.method === 'quota' ? <Quota value={row.quota} /> : <strong className="font-medium">{money(row.net)}</strong>;
}

interface WithdrawalOptions {
  forAll: boolean;
  actions(row: AgentWithdrawal): ReactNode;
}

export function withdrawalColumns({ forAll, actions }: WithdrawalOptions): readonly Column<AgentWithdrawal>[] {
  const columns: (Column<AgentWithdrawal> | false)[] = [
    { id: 'created', header: agent_asked_at, card: 'title', cell: (row) => <Time seconds={row.created_at} /> },
    { id: 'status', header: col_status, card: 'corner', cell: (row) => <WithdrawalState row={row} /> },
    forAll && {
      id: 'agent',
      header: agent_agent,
      clip: true,
      cell: (row) => <AgentLink id={row.agent_id} name={row.agent} tab="withdrawals" />,
    },
    { id: 'amount', header: agent_amount, end: true, cell: (row) => money(row.amount) },
    { id: 'fee', header: agent_fee_paid, end: true, cell: (row) => (row.fee > 0 ? money(row.fee) : none) },
    { id: 'net', header: agent_net, end: true, cell: (row) => <Net row={row} /> },
    { id: 'method', header: agent_method, cell: (row) => methodNames[row.method]() },
    { id: 'payee', header: agent_payee, clip: true, cell: (row) => row.payee_name || none },
    forAll && { id: 'reviewer', header: agent_reviewer, clip: true, cell: (row) => row.reviewer || none },
    { id: 'finished', header: agent_finished_at, cell: (row) => timeOr(row.finished_at) },
    { id: 'actions', header: col_actions, end: true, card: 'actions', cell: actions },
  ];
  return columns.filter((column) => column !== false);
}

/** Something that is copied into the bank's form. */
function Copied({ text, label }: { text: string; label: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span className="min-w-0 break-all">{text}</span>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** A withdrawal in full: where the money goes, and what became of it. */
export function WithdrawalDetail({ row }: { row: AgentWithdrawal }) {
  const lines: { label: string; value: ReactNode }[] = [
    { label: agent_method(), value: row.method === 'quota' ? agent_method_quota() : methodNames[row.method]() },
    { label: agent_bank(), value: row.bank_name },
    { label: agent_payee(), value: row.payee_name },
    {
      label: agent_account(),
      value: row.payee_account && <Copied text={row.payee_account} label={agent_copy_account()} />,
    },
    { label: agent_remark(), value: row.remark },
    { label: agent_reference(), value: row.reference && <Copied text={row.reference} label={agent_copy_reference()} /> },
    { label: agent_reason(), value: row.reject_reason },
  ];
  return <FactList lines={lines} />;
}
