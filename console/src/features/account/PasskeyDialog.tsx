import type { Passkey } from '@tollgate/contract';
import {
  action_continue,
  action_save,
  passkeys_add,
  passkeys_added,
  passkeys_name,
  passkeys_name_hint,
  passkeys_name_missing,
  passkeys_rename,
  save_done,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';
import { passkeyFaultText } from '../../ui/signin/passkey.ts';
import { ProofField } from './ProofField.tsx';
import { usePasskeyCreation, usePasskeyRename } from './queries.ts';

const maxName = 40;

interface Props {
  /** The one to rename; absent = a new one. */
  passkey?: Passkey;
  onClose(): void;
}

/** Names a passkey, and makes it when it is new. */
export function PasskeyDialog({ passkey, onClose }: Props) {
  const creation = usePasskeyCreation();
  const renaming = usePasskeyRename();
  const form = useSmallForm({ name: passkey?.name ?? '', password: '' }, ({ name }) => ({
    name: name.trim() === '' ? passkeys_name_missing() : undefined,
  }));
  const finish = (text: string) => () => {
    notify('ok', text);
    onClose();
  };
  const submit = form.submit(({ name, password }) => {
    if (passkey) renaming.mutate({ id: passkey.id, name: name.trim() }, { onSuccess: finish(save_done()) });
    else creation.mutate({ name: name.trim(), password }, { onSuccess: finish(passkeys_added()) });
  });
  const error = creation.error ?? renaming.error;
  return (
    <FormDialog
      title={passkey ? passkeys_rename({ name: passkey.name }) : passkeys_add()}
      onClose={onClose}
      dirty={form.dirty}
      submitLabel={passkey ? action_save() : action_continue()}
      onSubmit={submit}
      pending={creation.isPending || renaming.isPending}
    >
      {error && <Alert tone="bad">{passkeyFaultText(error, true)}</Alert>}
      <Field label={passkeys_name()} hint={passkeys_name_hint()} error={form.errors.name}>
        {(control) => <input {...control} {...form.field('name')} className="control" autoComplete="off" maxLength={maxName} />}
      </Field>
      {!passkey && <ProofField input={form.field('password')} />}
    </FormDialog>
  );
}
