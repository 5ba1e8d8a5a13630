import type { Token } from '@tollgate/contract';
import { useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { useTokenRotation } from '../../api/tokens.ts';
import {
  rotate_action,
  rotate_again,
  rotate_days,
  rotate_grace,
  rotate_grace_hint,
  rotate_grace_none,
  rotate_hours,
  rotate_minutes,
  rotate_note,
  rotate_note_grace,
  rotate_shown,
  rotate_text,
  rotate_title,
  token_copy_key,
} from '../../i18n/generated/messages.ts';
import { formatTime } from '../../lib/time.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { CancelButton, Dialog } from '../../ui/overlay/Dialog.tsx';
import { SecretDialog } from '../../ui/overlay/SecretDialog.tsx';
import { fullKey } from './model.ts';

const [minute, hour, day] = [60, 3_600, 86_400];
/** For how many seconds the old key may go on, in the language of now. */
const graces = (): readonly { seconds: number; text: string }[] => [
  { seconds: 0, text: rotate_grace_none() },
  ...[10, 30].map((count) => ({ seconds: count * minute, text: rotate_minutes({ count }) })),
  ...[1, 6].map((count) => ({ seconds: count * hour, text: rotate_hours({ count }) })),
  ...[1, 3, 7].map((count) => ({ seconds: count * day, text: rotate_days({ count }) })),
];

/** Gives a token a new key, asks how long the old one may go on, and shows the new one once. */
export function RotateDialog({ token, onClose }: { token: Token; onClose(): void }) {
  const rotation = useTokenRotation();
  const [seconds, setSeconds] = useState(0);
  if (rotation.data) {
    const until = rotation.data.old_key?.ends_time;
    return (
      <SecretDialog
        title={rotate_action()}
        label={rotate_shown()}
        value={fullKey(rotation.data)}
        copyLabel={token_copy_key()}
        note={until === undefined ? rotate_note() : rotate_note_grace({ time: formatTime(until) })}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog
      title={rotate_title({ name: token.name })}
      description={rotate_text()}
      onClose={onClose}
      footer={
        <>
          <CancelButton />
          <Button
            tone="bad"
            pending={rotation.isPending}
            onClick={() => rotation.mutate({ id: token.id, oldKeySeconds: seconds })}
          >
            {rotate_action()}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {rotation.error && <Alert tone="bad">{textOf(rotation.error)}</Alert>}
        {token.old_key && <Alert tone="warn">{rotate_again({ four: token.old_key.last_four })}</Alert>}
        <Field label={rotate_grace()} hint={rotate_grace_hint()}>
          {(control) => (
            <select {...control} className="control" value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
              {graces().map((grace) => (
                <option key={grace.seconds} value={grace.seconds}>
                  {grace.text}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </Dialog>
  );
}
