import { useQuery } from '@tanstack/react-query';
import { type InboxEntry, mostAmount, type TopupOrder } from '@tollgate/contract';
import { useEffect, useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { namedUserQuery } from '../../api/named-user.ts';
import { useMoney } from '../../api/status.ts';
import {
  payment_credit,
  payment_credit_done,
  payment_credit_sure,
  payment_credit_sure_text,
  payment_credit_text,
  payment_credit_title,
  payment_order_none,
  payment_order_said,
  payment_order_share,
  payment_payee,
  payment_payee_found,
  payment_payee_hint,
  payment_payee_missing,
  payment_payee_none,
  payment_quota,
  payment_quota_invalid,
} from '../../i18n/generated/messages.ts';
import { formatQuota, type MoneyFormat, parseQuota, quotaToInput } from '../../lib/money.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { QuotaField } from '../../ui/form/QuotaField.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useSettled } from '../../ui/form/useSettled.ts';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { Dialog, FormFooter } from '../../ui/overlay/Dialog.tsx';
import { confirm } from '../../ui/overlays.ts';
import { moneyText, orderFaces } from '../../ui/payment/order.ts';
import { shareOf } from './model.ts';
import { namedOrderQuery, useCredit } from './queries.ts';

const formId = 'payment-credit';

interface Values {
  payee: string;
  quota: string;
}

function faultsOf({ payee, quota }: Values, format: MoneyFormat): Partial<Values> {
  const amount = parseQuota(quota, format) ?? 0;
  return {
    ...(payee.trim() === '' ? { payee: payment_payee_missing() } : {}),
    ...(amount < 1 || amount > mostAmount ? { quota: payment_quota_invalid() } : {}),
  };
}

/** What is known about the payment, before anybody decides whose it is. */
function Known({ entry, order }: { entry: InboxEntry; order: TopupOrder | null }) {
  const format = useMoney();
  if (!order) return <Alert tone="warn">{payment_order_none()}</Alert>;
  return (
    <Alert tone="info">
      {payment_order_said({
        user: `${order.username} (#${order.user_id})`,
        quota: formatQuota(order.quota, format),
        money: moneyText(order.money, order.currency),
        state: orderFaces[order.status].text(),
      })}
      {shareOf(entry, order) !== undefined && entry.money !== order.money && <p className="mt-1">{payment_order_share()}</p>}
    </Alert>
  );
}

interface FormProps {
  entry: InboxEntry;
  order: TopupOrder | null;
  onClose(): void;
  onDirty(dirty: boolean): void;
}

function initialOf(entry: InboxEntry, order: TopupOrder | null, format: MoneyFormat): Values {
  const quota = order ? (shareOf(entry, order) ?? order.quota) : 0;
  return { payee: order ? String(order.user_id) : '', quota: quota > 0 ? quotaToInput(quota, format) : '' };
}

function CreditForm({ entry, order, onClose, onDirty }: FormProps) {
  const format = useMoney();
  const credit = useCredit();
  const form = useSmallForm<keyof Values>(initialOf(entry, order, format), (values) => faultsOf(values, format));
  const { dirty } = form;
  useEffect(() => onDirty(dirty), [dirty, onDirty]);
  const typed = form.values.payee.trim();
  const settled = useSettled(typed);
  const payee = useQuery(namedUserQuery(settled));
  const user = settled === typed ? payee.data : undefined;
  const give = form.submit(async (values) => {
    const quota = parseQuota(values.quota, format);
    if (!user || quota === undefined) return;
    const question = { quota: formatQuota(quota, format, 4), user: `${user.username} (#${user.id})` };
    const sure = { title: payment_credit_sure(question), text: payment_credit_sure_text(), confirmLabel: payment_credit() };
    if (!(await confirm(sure))) return;
    const onSuccess = () => {
      notify('ok', payment_credit_done(question));
      onClose();
    };
    credit.mutate({ id: entry.id, user_id: user.id, quota }, { onSuccess });
  });
  return (
    <form id={formId} noValidate onSubmit={give} className="flex flex-col gap-3.5">
      <SaveFault error={credit.error ?? payee.error} />
      <Known entry={entry} order={order} />
      <Field
        label={payment_payee()}
        error={form.errors.payee ?? (user === null && typed !== '' ? payment_payee_none() : undefined)}
        hint={
          <span aria-live="polite">
            {user
              ? payment_payee_found({ name: user.username, id: user.id, quota: formatQuota(user.quota, format) })
              : payment_payee_hint()}
          </span>
        }
      >
        {(control) => <input {...control} {...form.field('payee')} className="control" autoComplete="off" maxLength={64} />}
      </Field>
      <QuotaField
        label={payment_quota()}
        name="quota"
        value={form.values.quota}
        error={form.errors.quota}
        onChange={(quota) => form.set('quota', quota)}
        onBlur={form.field('quota').onBlur}
      />
      <FormFooter>
        <Button type="submit" tone="primary" pending={credit.isPending} disabled={!user}>
          {payment_credit()}
        </Button>
      </FormFooter>
    </form>
  );
}

/** Gives a proven payment without a matching order to a user. */
export function CreditDialog({ entry, onClose }: { entry: InboxEntry; onClose(): void }) {
  const { data: order, error } = useQuery(namedOrderQuery(entry.trade_no));
  const money = moneyText(entry.money, entry.currency);
  const [dirty, setDirty] = useState(false);
  return (
    <Dialog title={payment_credit_title({ money })} description={payment_credit_text()} onClose={onClose} dirty={dirty}>
      {error && order === undefined ? (
        <Alert tone="bad">{textOf(error)}</Alert>
      ) : order === undefined ? (
        <FormSkeleton />
      ) : (
        <CreditForm entry={entry} order={order} onClose={onClose} onDirty={setDirty} />
      )}
    </Dialog>
  );
}
