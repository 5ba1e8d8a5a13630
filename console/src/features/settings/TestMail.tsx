import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { selfQuery } from '../../api/self.ts';
import {
  settings_mail_invalid,
  settings_mail_saved_first,
  settings_mail_sent,
  settings_mail_test,
  settings_mail_to,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { useTestMail } from './queries.ts';

/** Sends a mail by the saved settings, to the own address unless another one is given. */
export function TestMail() {
  const own = useQuery(selfQuery).data?.email ?? '';
  const [typed, setTyped] = useState<string>();
  const [invalid, setInvalid] = useState(false);
  const send = useTestMail();
  const to = (typed ?? own).trim();
  const run = () => {
    const ok = /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(to);
    setInvalid(!ok);
    if (ok) send.mutate(to, { onError: notifyError, onSuccess: () => notify('ok', settings_mail_sent({ to })) });
  };
  return (
    <form
      noValidate
      className="mt-4 flex flex-wrap items-end gap-2 border-t pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!send.isPending) run();
      }}
    >
      <Field
        className="w-72 max-sm:w-full"
        label={settings_mail_to()}
        hint={settings_mail_saved_first()}
        error={invalid ? settings_mail_invalid() : undefined}
      >
        {(control) => (
          <input
            {...control}
            type="email"
            className="control"
            maxLength={254}
            value={typed ?? own}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setInvalid(false);
            }}
          />
        )}
      </Field>
      <Button type="submit" pending={send.isPending} className={invalid ? 'mb-11' : 'mb-5'}>
        {settings_mail_test()}
      </Button>
    </form>
  );
}
