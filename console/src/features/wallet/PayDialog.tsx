import { useMutation, useQuery } from '@tanstack/react-query';
import type { Status } from '@tollgate/contract';
import { textOf } from '../../api/errors.ts';
import { useMoney } from '../../api/status.ts';
import {
  wallet_amount,
  wallet_confirm_pay,
  wallet_confirm_text,
  wallet_confirm_text_here,
  wallet_confirm_title,
  wallet_method,
  wallet_pay_failed,
  wallet_payable,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { FactList } from '../../ui/FactList.tsx';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import type { Choice } from './choice.ts';
import { amountText, payableText, paysInThisWindow, postForm } from './model.ts';
import { payableQuery, startCheckout, startPayment, useWalletRefresh } from './queries.ts';

interface Props {
  amount: number;
  choice: Choice;
  status: Status;
  onClose(): void;
}

/** Makes the order and sends the browser to the payment page. */
async function pay(amount: number, method: string): Promise<void> {
  if (method === '') {
    const { url } = await startCheckout(amount);
    if (!/^https:/.test(url)) throw new Error(wallet_pay_failed());
    return location.assign(url);
  }
  const { url, fields } = await startPayment(amount, method);
  if (typeof fields === 'string' || !/^https?:/.test(url)) throw new Error(wallet_pay_failed());
  postForm(url, fields);
}

/** The last look before an order: what is bought, what is paid, how. */
export function PayDialog({ amount, choice, status, onClose }: Props) {
  const format = useMoney();
  const refresh = useWalletRefresh();
  const card = choice.type === '';
  const price = useQuery(payableQuery(amount, card));
  const payment = useMutation({
    mutationFn: () => pay(amount, choice.type),
    onSuccess() {
      refresh();
      onClose();
    },
  });
  const error = payment.error ?? price.error;
  const lines = [
    { label: wallet_amount(), value: amountText(amount, format) },
    {
      label: wallet_payable(),
      value: price.data === undefined ? '…' : payableText(price.data, card ? status.stripe_currency : 'cny'),
    },
    { label: wallet_method(), value: choice.name },
  ];
  return (
    <Dialog
      title={wallet_confirm_title()}
      description={card || paysInThisWindow() ? wallet_confirm_text_here() : wallet_confirm_text()}
      onClose={onClose}
      footer={
        <>
          <CancelButton />
          <Button tone="primary" pending={payment.isPending} disabled={price.data === undefined} onClick={() => payment.mutate()}>
            {wallet_confirm_pay()}
          </Button>
        </>
      }
    >
      {error && (
        <div className="mb-3">
          <Alert tone="bad">{textOf(error)}</Alert>
        </div>
      )}
      <FactList lines={lines.map(({ label, value }) => ({ label, value: <span className="font-semibold">{value}</span> }))} />
    </Dialog>
  );
}
