import type { ChannelHealth } from '@tollgate/contract';
import { Zap } from 'lucide-react';
import { useKeySwitch, useOffKeyRemoval } from '../../api/routing.ts';
import {
  action_delete,
  action_test,
  delete_done,
  health_key,
  health_key_off,
  health_key_on,
  health_keys_remove,
  health_keys_remove_text,
} from '../../i18n/generated/messages.ts';
import { StatusDot } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { useReportedTest } from '../../ui/channel/useReportedTest.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { Time } from '../../ui/Time.tsx';
import { reasonText } from '../../ui/task/reasons.ts';

type Key = ChannelHealth['keys'][number];

function KeyLine({ entry, channelId, channelName }: { entry: Key; channelId: number; channelName: string }) {
  const change = useKeySwitch(channelId);
  const name = health_key({ number: entry.index + 1, hint: entry.hint });
  const test = useReportedTest();
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 border-b py-1 last:border-0">
      <span className="font-mono text-xs">{name}</span>
      <StatusDot tone={entry.enabled ? 'ok' : 'warn'}>{entry.enabled ? health_key_on() : health_key_off()}</StatusDot>
      <span className="min-w-0 grow text-muted text-xs">
        {reasonText(entry.reason)} {entry.changed_at > 0 && <Time seconds={entry.changed_at} />}
      </span>
      <IconButton
        icon={Zap}
        label={`${action_test()} ${name}`}
        size="sm"
        className={test.pending ? 'ml-auto animate-pulse' : 'ml-auto'}
        disabled={test.pending}
        onClick={() => test.run({ id: channelId, name: `${channelName} ${name}` }, undefined, entry.index)}
      />
      <input
        type="checkbox"
        role="switch"
        className="switch"
        aria-label={name}
        checked={entry.enabled}
        aria-checked={entry.enabled}
        disabled={change.isPending}
        onChange={(event) =>
          change.mutate(
            { key_index: entry.index, enabled: event.currentTarget.checked, hint: entry.hint },
            { onError: notifyError },
          )
        }
      />
    </li>
  );
}

/** Those that are shown as off: one that went off since stays. */
function RemoveButton({ channelId, off }: { channelId: number; off: readonly Key[] }) {
  const removal = useOffKeyRemoval(channelId);
  const title = health_keys_remove({ count: off.length });
  const run = async () => {
    if (!(await confirm({ title, text: health_keys_remove_text(), confirmLabel: action_delete(), tone: 'bad' }))) return;
    const until = Math.max(...off.map(({ changed_at }) => changed_at));
    removal.mutate(until, { onError: notifyError, onSuccess: () => notify('ok', delete_done()) });
  };
  return (
    <Button size="sm" className="mb-2" pending={removal.isPending} onClick={() => void run()}>
      {title}
    </Button>
  );
}

/** The credentials of a channel that has several, each with its own state; those that are off first: they are looked for. */
export function Keys({ channelId, channelName, keys }: { channelId: number; channelName: string; keys: readonly Key[] }) {
  const off = keys.filter(({ enabled }) => !enabled);
  return (
    <>
      {off.length > 0 && off.length < keys.length && <RemoveButton channelId={channelId} off={off} />}
      <ul className="rounded-lg border px-3">
        {keys
          .toSorted((one, other) => +one.enabled - +other.enabled)
          .map((entry) => (
            <KeyLine key={entry.index} entry={entry} channelId={channelId} channelName={channelName} />
          ))}
      </ul>
    </>
  );
}
