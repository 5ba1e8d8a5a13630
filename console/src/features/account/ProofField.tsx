import type { ComponentProps } from 'react';
import { account_proof_fresh, account_proof_stale, password_current } from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { PasswordInput } from '../../ui/form/PasswordInput.tsx';
import { useStaleSignIn } from './queries.ts';

/** The present password, for what decides who may sign in. Says whether it is needed; the server decides. */
export function ProofField({ input }: { input: ComponentProps<'input'> }) {
  const stale = useStaleSignIn();
  return (
    <Field label={password_current()} hint={stale ? account_proof_stale() : account_proof_fresh()}>
      {(control) => <PasswordInput {...control} {...input} autoComplete="current-password" />}
    </Field>
  );
}
