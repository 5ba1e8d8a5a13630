import type { TotpSetup as Setup } from '@tollgate/contract';
import { Copy, Download } from 'lucide-react';
import { textOf } from '../../api/errors.ts';
import { getSession } from '../../api/session.ts';
import {
  action_continue,
  totp_code,
  totp_code_invalid,
  totp_codes_copy,
  totp_codes_kept,
  totp_codes_save,
  totp_codes_text,
  totp_codes_title,
  totp_confirm,
  totp_qr,
  totp_scan,
  totp_secret,
  totp_secret_copy,
  totp_setup_title,
  totp_start_text,
} from '../../i18n/generated/messages.ts';
import { saveTextFile } from '../../lib/save-file.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { copyText } from '../../ui/copy.ts';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import { QrCode } from '../../ui/QrCode.tsx';
import { ProofField } from './ProofField.tsx';
import { useTotpConfirm, useTotpSetup } from './queries.ts';

const formId = 'totp';

interface Props {
  onClose(): void;
}

/** First: that it is the user. */
function Prove({ onClose, start }: Props & { start: ReturnType<typeof useTotpSetup> }) {
  const form = useSmallForm({ password: '' }, () => ({}));
  return (
    <Dialog
      title={totp_setup_title()}
      description={totp_start_text()}
      onClose={onClose}
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone="primary" pending={start.isPending}>
            {action_continue()}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={form.submit(({ password }) => start.mutate(password))}
        className="flex flex-col gap-3"
      >
        {start.error && <Alert tone="bad">{textOf(start.error)}</Alert>}
        <ProofField input={form.field('password')} />
      </form>
    </Dialog>
  );
}

/** As authenticators group them, pasted with what stood around them, or typed in full width. */
const digitsOf = (code: string): string => code.normalize('NFKC').replaceAll(/\s/g, '');

/** Then: that the authenticator has the secret. */
function Scan({ setup, confirm, onClose }: Props & { setup: Setup; confirm: ReturnType<typeof useTotpConfirm> }) {
  const form = useSmallForm({ code: '' }, ({ code }) => ({
    code: /^\d{6}$/.test(digitsOf(code)) ? undefined : totp_code_invalid(),
  }));
  return (
    <Dialog
      title={totp_setup_title()}
      description={totp_scan()}
      onClose={onClose}
      stays
      footer={
        <>
          <CancelButton />
          <Button type="submit" form={formId} tone="primary" pending={confirm.isPending}>
            {totp_confirm()}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        onSubmit={form.submit(({ code }) => confirm.mutate(digitsOf(code)))}
        className="flex flex-col gap-3"
      >
        <div className="flex justify-center">
          <QrCode text={setup.uri} label={totp_qr()} />
        </div>
        <details>
          <summary className="min-h-6 text-accent text-xs">{totp_secret()}</summary>
          <div className="mt-1 flex items-center gap-1">
            <code className="break-all">{setup.secret}</code>
            <CopyButton text={setup.secret} label={totp_secret_copy()} />
          </div>
        </details>
        {confirm.error && <Alert tone="bad">{textOf(confirm.error)}</Alert>}
        <Field label={totp_code()} error={form.errors.code}>
          {(control) => (
            <input
              {...control}
              {...form.field('code')}
              className="control tabular-nums tracking-wider"
              inputMode="numeric"
              autoComplete="one-time-code"
              maxLength={32}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

/** At last: the way back in without the phone. Left by the button only. */
function RecoveryCodes({ codes, onClose }: Props & { codes: readonly string[] }) {
  const text = codes.join('\n');
  const name = `${location.hostname}-${getSession()?.username ?? ''}-recovery-codes.txt`;
  return (
    <Dialog
      title={totp_codes_title()}
      description={totp_codes_text()}
      footer={
        <>
          <Button icon={Copy} onClick={() => void copyText(text)}>
            {totp_codes_copy()}
          </Button>
          <Button icon={Download} onClick={() => saveTextFile(name, `${text}\n`)}>
            {totp_codes_save()}
          </Button>
          <Button tone="primary" onClick={onClose}>
            {totp_codes_kept()}
          </Button>
        </>
      }
    >
      <ul className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-md bg-sunken p-4 text-center font-mono text-base">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Switches two-step verification on: prove, scan, keep the recovery codes. */
export function TotpSetup({ onClose }: Props) {
  const start = useTotpSetup();
  const confirm = useTotpConfirm();
  if (confirm.data) return <RecoveryCodes codes={confirm.data} onClose={onClose} />;
  if (start.data) return <Scan setup={start.data} confirm={confirm} onClose={onClose} />;
  return <Prove start={start} onClose={onClose} />;
}
