import type { TotpSetup as Setup } from '@tollgate/contract';
import { Copy, Download } from 'lucide-react';
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
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { copyText } from '../../ui/copy.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { QrCode } from '../../ui/QrCode.tsx';
import { ProofField } from './ProofField.tsx';
import { useTotpConfirm, useTotpSetup } from './queries.ts';

interface Props {
  onClose(): void;
}

/** First: that it is the user. */
function Prove({ onClose, start }: Props & { start: ReturnType<typeof useTotpSetup> }) {
  const form = useSmallForm({ password: '' }, () => ({}));
  return (
    <FormDialog
      title={totp_setup_title()}
      description={totp_start_text()}
      onClose={onClose}
      submitLabel={action_continue()}
      onSubmit={form.submit(({ password }) => start.mutate(password))}
      pending={start.isPending}
      error={start.error}
    >
      <ProofField input={form.field('password')} />
    </FormDialog>
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
    <FormDialog
      title={totp_setup_title()}
      description={totp_scan()}
      onClose={onClose}
      stays
      submitLabel={totp_confirm()}
      onSubmit={form.submit(({ code }) => confirm.mutate(digitsOf(code)))}
      pending={confirm.isPending}
      error={confirm.error}
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
    </FormDialog>
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
