import { useStatus } from '../../api/status.ts';
import {
  action_continue,
  door_wechat_code,
  door_wechat_code_invalid,
  door_wechat_qr,
  door_wechat_qr_missing,
  door_wechat_text,
  door_wechat_title,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../Alert.tsx';
import { Field } from '../Field.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { useSmallForm } from '../form/useSmallForm.ts';

const codeShape = /^[0-9A-Za-z]{4,64}$/;

interface Props {
  pending: boolean;
  /** The server's refusal. */
  error?: string;
  onCode(code: string): void;
  onClose(): void;
}

/** Signing in or binding by a code that the operator's public account hands out. */
export function WeChatDialog({ pending, error, onCode, onClose }: Props) {
  const image = useStatus()?.wechat_qrcode ?? '';
  const form = useSmallForm({ code: '' }, ({ code }) => ({
    code: codeShape.test(code.trim()) ? undefined : door_wechat_code_invalid(),
  }));
  return (
    <FormDialog
      title={door_wechat_title()}
      description={door_wechat_text()}
      onClose={onClose}
      submitLabel={action_continue()}
      onSubmit={form.submit(({ code }) => onCode(code.trim()))}
      pending={pending}
    >
      {error && <Alert tone="bad">{error}</Alert>}
      {image ? (
        <img
          src={image}
          alt={door_wechat_qr()}
          width={180}
          height={180}
          className="self-center rounded-md bg-[#ffffff] object-contain"
        />
      ) : (
        <Alert tone="info">{door_wechat_qr_missing()}</Alert>
      )}
      <Field label={door_wechat_code()} error={form.errors.code}>
        {(control) => (
          <input
            {...control}
            {...form.field('code')}
            className="control tabular-nums"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={64}
          />
        )}
      </Field>
    </FormDialog>
  );
}
