import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Status } from '@tollgate/contract';
import { CreditCard } from 'lucide-react';
import { useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { useMoney, useStatus } from '../../api/status.ts';
import {
  wallet_amount,
  wallet_amount_hint,
  wallet_amount_low,
  wallet_checkout,
  wallet_method,
  wallet_methods_none,
  wallet_off,
  wallet_online,
  wallet_payable,
  wallet_records,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Chips } from '../../ui/Chips.tsx';
import { Field } from '../../ui/Field.tsx';
import { AmountInput } from '../../ui/form/AmountField.tsx';
import { useSettled } from '../../ui/form/useSettled.ts';
import { part } from '../../ui/part.tsx';
import type { Choice } from './choice.ts';
import { amountText, methodColor, minimumOf, parseAmount, payableText, unitOf } from './model.ts';
import { payableQuery } from './queries.ts';

const PayDialog = part(() => import('./PayDialog.tsx'), 'PayDialog');
const presets = [1, 10, 50, 100, 500, 1000];

/** What it will cost, as soon as the typing settles. */
function Payable({ amount, card, currency }: { amount: number | undefined; card: boolean; currency: string }) {
  const settled = useSettled(amount);
  const { data, error, isFetching } = useQuery({ ...payableQuery(settled ?? 0, card), enabled: settled !== undefined });
  return (
    <p aria-live="polite" className="min-h-5">
      {error ? (
        <span className="text-bad">{textOf(error)}</span>
      ) : (
        <>
          <span className="text-muted">{wallet_payable()} </span>
          <span className={`font-semibold tabular-nums ${isFetching ? 'opacity-50' : ''}`}>
            {data === undefined ? '…' : payableText(data, currency)}
          </span>
        </>
      )}
    </p>
  );
}

/** What can be chosen of the payment service; nothing where it is off. */
const methodsOf = (status: Status) => (status.enable_online_topup ? status.pay_methods : []);

function Methods({ status, choose }: { status: Status; choose(choice: Choice): void }) {
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="mb-1 font-medium">{wallet_method()}</legend>
      {methodsOf(status).map(({ name, type, color }) => (
        <Button key={type} onClick={() => choose({ name, type })}>
          <span aria-hidden className="size-2.5 rounded-full" style={{ backgroundColor: methodColor(color) }} />
          {name}
        </Button>
      ))}
      {status.enable_stripe_topup && (
        <Button icon={CreditCard} onClick={() => choose({ name: wallet_checkout(), type: '' })}>
          {wallet_checkout()}
        </Button>
      )}
    </fieldset>
  );
}

function Form({ status }: { status: Status }) {
  const format = useMoney();
  const card = methodsOf(status).length === 0;
  const unit = unitOf(format);
  const minimum = minimumOf(status, format, card);
  const [text, setText] = useState(String(Math.max(minimum, 10 * unit)));
  const [fault, setFault] = useState('');
  const [choice, setChoice] = useState<Choice>();
  const amount = parseAmount(text);
  const set = (next: string) => {
    setText(next);
    setFault('');
  };
  const choose = (next: Choice) => {
    const least = minimumOf(status, format, next.type === '');
    if (amount === undefined || amount < least) setFault(wallet_amount_low({ minimum: least }));
    else setChoice(next);
  };
  return (
    <div className="flex flex-col gap-3">
      <div>
        <Field label={wallet_amount()} error={fault} hint={wallet_amount_hint({ minimum: amountText(minimum, format) })}>
          {(control) => (
            <AmountInput
              {...control}
              format={format}
              inputMode="numeric"
              maxLength={16}
              value={text}
              onChange={(event) => set(event.currentTarget.value)}
              // An amount that stays as it is keeps its fault: without that line, what is pressed below would move.
              onBlur={() => amount !== undefined && String(amount) !== text && set(String(amount))}
            />
          )}
        </Field>
        <Chips
          values={presets.filter((dollars) => dollars * unit >= minimum)}
          textOf={(dollars) => `$${formatUnits(dollars)}`}
          onChoose={(dollars) => set(String(dollars * unit))}
        />
      </div>
      <Payable
        amount={amount !== undefined && amount >= minimum ? amount : undefined}
        card={card}
        currency={card ? status.stripe_currency : 'cny'}
      />
      <Methods status={status} choose={choose} />
      {choice && amount !== undefined && (
        <PayDialog amount={amount} choice={choice} status={status} onClose={() => setChoice(undefined)} />
      )}
    </div>
  );
}

/** Buying balance online. */
export function OnlineCard() {
  const status = useStatus();
  const on = status !== undefined && (methodsOf(status).length > 0 || status.enable_stripe_topup);
  return (
    <Card
      title={wallet_online()}
      aside={
        <Link to="/topup/records" className="py-1 text-accent text-xs">
          {wallet_records()}
        </Link>
      }
    >
      {on && <Form status={status} />}
      {status && !on && <Alert tone="info">{status.enable_online_topup ? wallet_methods_none() : wallet_off()}</Alert>}
    </Card>
  );
}
