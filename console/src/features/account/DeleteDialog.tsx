import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { forgetUserData } from '../../api/forget.ts';
import { routes } from '../../api/routes.ts';
import { clearSession } from '../../api/session.ts';
import {
  remove_action,
  remove_confirm,
  remove_done,
  remove_mismatch,
  remove_text,
  remove_title,
} from '../../i18n/generated/messages.ts';
import { Field } from '../../ui/Field.tsx';
import { FormDialog } from '../../ui/form/FormDialog.tsx';
import { useSmallForm } from '../../ui/form/useSmallForm.ts';
import { notify } from '../../ui/notify.ts';

/** The account goes; so does everything that this browser knows of it. */
function useRemoval() {
  const navigate = useNavigate();
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(routes.personal.removeSelf),
    async onSuccess() {
      clearSession();
      // With the account goes what was typed about it.
      await navigate({ to: '/login', search: {}, replace: true, ignoreBlocker: true });
      forgetUserData(client);
      notify('ok', remove_done());
    },
  });
}

/** Asks for the own username before the account is deleted. */
export function DeleteDialog({ username, onClose }: { username: string; onClose(): void }) {
  const removal = useRemoval();
  const form = useSmallForm({ name: '' }, ({ name }) => ({ name: name.trim() === username ? undefined : remove_mismatch() }));
  return (
    <FormDialog
      title={remove_title()}
      description={remove_text()}
      onClose={onClose}
      submitLabel={remove_action()}
      tone="bad"
      onSubmit={form.submit(() => removal.mutate())}
      pending={removal.isPending}
      error={removal.error}
    >
      <Field label={remove_confirm({ name: username })} error={form.errors.name}>
        {(control) => (
          <input
            {...control}
            {...form.field('name')}
            className="control"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={255}
          />
        )}
      </Field>
    </FormDialog>
  );
}
