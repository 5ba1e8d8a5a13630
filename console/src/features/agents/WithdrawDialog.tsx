import { useQuery } from '@tanstack/react-query';
import { type AgentSelf, type AgentWithdrawal, type PayoutMethod, payoutMethods, type WithdrawalQuote } from '@tollgate/contract';
import { useEffect, useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { useMoney } from '../../api/status.ts';
import {
  agent_account,
  agent_account_missing,
  agent_amount,
  agent_amount_all,
  agent_amount_high,
  agent_amount_invalid,
  agent_amount_low,
  agent_balance,
  agent_bank,
  agent_bank_missing,
  agent_convert,
  agent_convert_done,
  agent_convert_sure,
  agent_convert_text,
  agent_get_quota,
  agent_method,
  agent_payee,
  agent_payee_invalid,
  agent_quote,
  agent_quote_fee,
  agent_remark,
  agent_withdraw,
  agent_withdraw_done,
  agent_withdraw_sure,
  agent_withdraw_sure_text,
} from '../../i18n/generated/messages.ts';
import { formatQuota } from '../../lib/money.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { AmountField } from '../../ui/form/AmountField.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useSettled } from '../../ui/form/useSettled.ts';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { Dialog, FormFooter } from '../../ui/overlay/Dialog.tsx';
import { confirm } from '../../ui/overlays.ts';
import { centsInput, parseCents } from '../../ui/payment/cents.ts';
import { methodNames, money } from './model.ts';
import { lastPayeeQuery, quoteQuery, useWithdrawal } from './queries.ts';

const formId = 'agent-withdraw';
const methods = payoutMethods.filter((method) => method !== 'quota');

/** To the agent's account elsewhere, or to the own balance here. */
type Kind = 'payout' | 'convert';
type Values = Record<'amount' | 'method' | 'payee_name' | 'payee_account' | 'bank_name' | 'remark', string>;

interface Props {
  kind: Kind;
  self: AgentSelf;
  onClose(): void;
}

const methodOf = ({ method }: Values): PayoutMethod => payoutMethods.find((known) => known === method) ?? 'alipay';

function amountFault(text: string, { balance, terms }: AgentSelf): string | undefined {
  const cents = parseCents(text) ?? 0;
  if (cents < 1) return agent_amount_invalid();
  if (cents < terms.min_withdraw) return agent_amount_low({ amount: money(terms.min_withdraw) });
  return cents > balance ? agent_amount_high({ amount: money(balance) }) : undefined;
}

export function withdrawalFaults(values: Values, self: AgentSelf): Partial<Values> {
  const nameLength = [...values.payee_name.trim()].length;
  const payee = methodOf(values) !== 'quota';
  const faults: Partial<Record<keyof Values, string | undefined>> = {
    amount: amountFault(values.amount, self),
    payee_name: payee && (nameLength < 2 || nameLength > 30) ? agent_payee_invalid() : undefined,
    payee_account: payee && values.payee_account.trim() === '' ? agent_account_missing() : undefined,
    bank_name: methodOf(values) === 'bank' && values.bank_name.trim() === '' ? agent_bank_missing() : undefined,
  };
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined));
}

function initialOf(kind: Kind, last: AgentWithdrawal | null): Values {
  const { method = 'alipay', payee_name = '', payee_account = '', bank_name = '' } = last ?? {};
  return { amount: '', method: kind === 'convert' ? 'quota' : method, payee_name, payee_account, bank_name, remark: '' };
}

/** What it will bring, as soon as the typing settles. */
function Quote({ quote, error }: { quote: WithdrawalQuote | undefined; error: Error | null }) {
  const format = useMoney();
  if (error) return <span className="text-bad">{textOf(error)}</span>;
  if (!quote) return null;
  if (quote.quota > 0) return agent_get_quota({ quota: formatQuota(quote.quota, format, 4) });
  return quote.fee > 0
    ? agent_quote_fee({ net: money(quote.net), fee: money(quote.fee) })
    : agent_quote({ net: money(quote.net) });
}

interface FormProps extends Props {
  last: AgentWithdrawal | null;
  onDirty(dirty: boolean): void;
}

function Form({ kind, self, last, onClose, onDirty }: FormProps) {
  const format = useMoney();
  const withdrawal = useWithdrawal();
  const form = useSmallForm<keyof Values>(initialOf(kind, last), (values) => withdrawalFaults(values, self));
  const { dirty } = form;
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const { balance } = self;
  const method = methodOf(form.values);
  const amount = amountFault(form.values.amount, self) === undefined ? parseCents(form.values.amount) : undefined;
  const settled = useSettled(amount);
  const quote = useQuery({ ...quoteQuery(settled ?? 0, method), enabled: settled !== undefined });
  const known = settled === amount && amount !== undefined ? quote.data : undefined;
  const ask = form.submit(async (values) => {
    if (!known || withdrawal.isPending) return;
    const { payee_name, payee_account, bank_name, remark } = values;
    const quota = formatQuota(known.quota, format, 4);
    const sure =
      kind === 'convert'
        ? {
            title: agent_convert_sure({ amount: money(known.amount), quota }),
            text: agent_convert_text(),
            confirmLabel: agent_convert(),
          }
        : {
            title: agent_withdraw_sure({ amount: money(known.amount) }),
            text: agent_withdraw_sure_text({
              net: money(known.net),
              method: methodNames[method](),
              payee: [bank_name, payee_name, payee_account].filter((part) => part.trim() !== '').join(' '),
            }),
            confirmLabel: agent_withdraw(),
          };
    if (!(await confirm(sure))) return;
    const payee = method === 'quota' ? {} : { payee_name, payee_account, bank_name: method === 'bank' ? bank_name : '' };
    const blank = { payee_name: '', payee_account: '', bank_name: '' };
    withdrawal.mutate(
      { amount: known.amount, method, ...blank, ...payee, remark },
      {
        onSuccess(row) {
          notify(
            'ok',
            kind === 'convert' ? agent_convert_done({ quota: formatQuota(row.quota, format, 4) }) : agent_withdraw_done(),
          );
          onClose();
        },
      },
    );
  });
  const line = (name: 'payee_name' | 'payee_account' | 'bank_name' | 'remark', label: string, required = true) => (
    <Field label={label} error={form.errors[name]} required={required}>
      {(control) => (
        <input
          {...control}
          {...form.field(name)}
          className="control"
          autoComplete="off"
          maxLength={name === 'remark' ? 500 : 64}
        />
      )}
    </Field>
  );
  return (
    <form id={formId} noValidate onSubmit={ask} className="flex flex-col gap-3.5">
      <SaveFault error={withdrawal.error} />
      <AmountField
        label={agent_amount()}
        input={form.field('amount')}
        error={form.errors.amount}
        required
        all={{ label: agent_amount_all(), fill: () => form.set('amount', centsInput(balance)) }}
        hint={
          <span aria-live="polite">
            {agent_balance()} {money(balance)}
            {amount !== undefined && ' · '}
            <Quote quote={known} error={amount === undefined ? null : quote.error} />
          </span>
        }
      />
      {kind === 'payout' && (
        <>
          <Field label={agent_method()}>
            {(control) => (
              <select {...control} {...form.field('method')} className="control">
                {methods.map((each) => (
                  <option key={each} value={each}>
                    {methodNames[each]()}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {method === 'bank' && line('bank_name', agent_bank())}
          {line('payee_name', agent_payee())}
          {line('payee_account', agent_account())}
          {line('remark', agent_remark(), false)}
        </>
      )}
      <FormFooter>
        <Button type="submit" tone="primary" pending={withdrawal.isPending || (amount !== undefined && !known && !quote.error)}>
          {kind === 'convert' ? agent_convert() : agent_withdraw()}
        </Button>
      </FormFooter>
    </form>
  );
}

/** Asks for money of the agent's balance, or turns it into quota of the own account. */
export function WithdrawDialog(props: Props) {
  const { data: last, error } = useQuery({ ...lastPayeeQuery, enabled: props.kind === 'payout' });
  const known = props.kind === 'convert' || error ? null : last;
  const [dirty, setDirty] = useState(false);
  return (
    <Dialog title={props.kind === 'convert' ? agent_convert() : agent_withdraw()} onClose={props.onClose} dirty={dirty}>
      {known === undefined ? <FormSkeleton /> : <Form {...props} last={known} onDirty={setDirty} />}
    </Dialog>
  );
}
