import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { textOf } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import {
  mail_address,
  mail_code_wait,
  reset_sent,
  reset_submit,
  reset_text,
  reset_title,
  second_back,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { addressFault, maxKnownLength } from '../../ui/signin/address.ts';
import { useBotCheck } from '../../ui/signin/useBotCheck.tsx';
import { useCountdown } from '../../ui/useCountdown.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';
import type { Pass } from './queries.ts';

const resendSeconds = 30;

/** /reset: asks for a mail with a link. The answer never tells whether the address is known. */
export function ResetPage() {
  useTitle(reset_title());
  const bot = useBotCheck();
  const countdown = useCountdown('reset');
  const request = useMutation({
    mutationFn: ({ email, pass }: { email: string; pass: Pass }) =>
      call(routes.signIn.requestReset, { query: { email, ...pass } }),
    onSuccess: () => countdown.start(resendSeconds),
  });
  const form = useSmallForm({ email: '' }, ({ email }) => ({ email: addressFault(email, maxKnownLength) }));
  const submit = form.submit(({ email }) => {
    const pass = bot.take();
    if (pass) request.mutate({ email: email.trim(), pass });
  });
  return (
    <AuthCard title={reset_title()} footer={<Link to="/login">{second_back()}</Link>}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-muted">{reset_text()}</p>
        {request.error && <Alert tone="bad">{textOf(request.error)}</Alert>}
        <div role="status">{request.isSuccess && <Alert tone="info">{reset_sent()}</Alert>}</div>
        <Field label={mail_address()} error={form.errors.email}>
          {(control) => (
            <input
              {...control}
              {...form.field('email')}
              type="email"
              className="control"
              autoComplete="email"
              maxLength={maxKnownLength}
            />
          )}
        </Field>
        {bot.widget}
        <Button
          type="submit"
          tone="primary"
          size="lg"
          className="mt-1 w-full"
          pending={request.isPending}
          disabled={countdown.left > 0}
        >
          {countdown.left > 0 ? mail_code_wait({ seconds: countdown.left }) : reset_submit()}
        </Button>
      </form>
    </AuthCard>
  );
}
