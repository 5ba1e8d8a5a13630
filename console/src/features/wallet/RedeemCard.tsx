import { ExternalLink } from 'lucide-react';
import { useStatus } from '../../api/status.ts';
import {
  wallet_code,
  wallet_code_missing,
  wallet_get_code,
  wallet_link_none,
  wallet_redeem,
  wallet_redeem_title,
} from '../../i18n/generated/messages.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Field } from '../../ui/Field.tsx';
import { SaveFault } from '../../ui/form/SaveFault.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { part } from '../../ui/part.tsx';
import { useRedeem } from './queries.ts';

const RedeemedDialog = part(() => import('./RedeemedDialog.tsx'), 'RedeemedDialog');

/** What the option takes: another site, a mail, or a path of this one. */
const isLink = (link: string): boolean => /^(https?:|mailto:|\/(?![/\\]))/i.test(link);

function GetCode() {
  const link = useStatus()?.top_up_link ?? '';
  if (!isLink(link)) {
    return <Button onClick={() => notify('warn', wallet_link_none())}>{wallet_get_code()}</Button>;
  }
  return (
    <a href={link} target="_blank" rel="noreferrer" className={buttonClass()}>
      <ExternalLink size={15} aria-hidden />
      {wallet_get_code()}
    </a>
  );
}

/** A code becomes balance. */
export function RedeemCard() {
  const redeem = useRedeem();
  const form = useSmallForm({ code: '' }, ({ code }) => ({ code: code.trim() === '' ? wallet_code_missing() : undefined }));
  const submit = form.submit(({ code }) => {
    if (!redeem.isPending) redeem.mutate(code.trim(), { onSuccess: () => form.reset({ code: '' }) });
  });
  return (
    <Card title={wallet_redeem_title()} aside={<GetCode />}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <SaveFault error={redeem.error} />
        <Field label={wallet_code()} error={form.errors.code}>
          {(control) => (
            <div className="flex gap-2">
              <input
                {...control}
                {...form.field('code')}
                className="control font-mono"
                autoComplete="off"
                spellCheck={false}
                maxLength={255}
              />
              <Button type="submit" tone="primary" pending={redeem.isPending}>
                {wallet_redeem()}
              </Button>
            </div>
          )}
        </Field>
      </form>
      {redeem.data !== undefined && <RedeemedDialog quota={redeem.data} onClose={() => redeem.reset()} />}
    </Card>
  );
}
