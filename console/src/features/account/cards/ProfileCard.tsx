import type { User } from '@tollgate/contract';
import { useState } from 'react';
import {
  account_display_name,
  account_profile,
  account_username,
  account_username_hint,
  action_save,
  save_done,
  save_unchanged,
} from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { Field } from '../../../ui/Field.tsx';
import { SaveFault } from '../../../ui/form/SaveFault.tsx';
import { Pair } from '../../../ui/form/Section.tsx';
import { useGuard } from '../../../ui/form/useGuard.ts';
import { useSmallForm } from '../../../ui/form/useSmallForm.ts';
import { notify } from '../../../ui/notify.ts';
import { changedNames, nameFaults } from '../model.ts';
import { type Names, useNamesChange } from '../queries.ts';

export function ProfileCard({ self }: { self: User }) {
  const change = useNamesChange();
  // As the form was filled: a name that was changed elsewhere meanwhile is not changed back.
  const [seen, setSeen] = useState<Names>({ username: self.username, display_name: self.display_name });
  const form = useSmallForm(seen, (values) => nameFaults(values, seen));
  useGuard(changedNames(form.values, seen) !== undefined);
  const submit = form.submit((values) => {
    const names = changedNames(values, seen);
    if (!names) return notify('warn', save_unchanged());
    const onSuccess = () => {
      setSeen({ username: names.username || seen.username, display_name: names.display_name || seen.display_name });
      notify('ok', save_done());
    };
    change.mutate(names, { onSuccess });
  });
  return (
    <Card title={account_profile()}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3">
        <SaveFault error={change.error} />
        <Pair>
          <Field label={account_username()} hint={account_username_hint()} error={form.errors.username}>
            {(control) => (
              <input
                {...control}
                {...form.field('username')}
                className="control"
                autoComplete="username"
                autoCapitalize="none"
                maxLength={255}
              />
            )}
          </Field>
          <Field label={account_display_name()} error={form.errors.display_name}>
            {(control) => (
              <input {...control} {...form.field('display_name')} className="control" autoComplete="nickname" maxLength={255} />
            )}
          </Field>
        </Pair>
        <Button type="submit" className="self-end" pending={change.isPending}>
          {action_save()}
        </Button>
      </form>
    </Card>
  );
}
