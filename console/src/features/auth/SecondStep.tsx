import { useEffect, useRef } from 'react';
import { textOf } from '../../api/errors.ts';
import {
  second_back,
  second_code,
  second_code_missing,
  second_lost,
  second_submit,
  second_text,
  second_title,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { AuthCard } from './AuthCard.tsx';
import { useSecondStep } from './queries.ts';

interface Props {
  /** From the answer of the first step. */
  ticket: string;
  onDone(): void;
  onBack(): void;
}

/** After any first step of an account with two-step verification. */
export function SecondStep({ ticket, onDone, onBack }: Props) {
  useTitle(second_title());
  const step = useSecondStep();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const form = useSmallForm({ code: '' }, ({ code }) => ({ code: code.trim() === '' ? second_code_missing() : undefined }));
  const submit = form.submit(({ code }) => step.mutate({ ticket, code: code.trim() }, { onSuccess: onDone }));
  return (
    <AuthCard title={second_title()}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <p className="text-muted">{second_text()}</p>
        {step.error && <Alert tone="bad">{textOf(step.error)}</Alert>}
        <Field label={second_code()} hint={second_lost()} error={form.errors.code}>
          {(control) => (
            <input
              {...control}
              {...form.field('code')}
              ref={input}
              className="control tabular-nums tracking-wider"
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={32}
            />
          )}
        </Field>
        <Button type="submit" tone="primary" size="lg" className="w-full" pending={step.isPending}>
          {second_submit()}
        </Button>
        <Button tone="quiet" onClick={onBack}>
          {second_back()}
        </Button>
      </form>
    </AuthCard>
  );
}
