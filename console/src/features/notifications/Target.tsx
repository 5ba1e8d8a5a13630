import type { NotifyWay } from '@tollgate/contract';
import { Send } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { action_test, notify_ready, notify_test_done, notify_test_failed, notify_unset } from '../../i18n/generated/messages.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { faultText, wayNames } from './names.ts';
import { useTest } from './queries.ts';

interface Props {
  way: NotifyWay;
  /** There is somewhere to send to, as it is saved. */
  ready: boolean;
  children?: ReactNode;
}

/** Where one way leads, and whether something arrives there. */
export function Target({ way, ready, children }: Props) {
  const id = useId();
  const test = useTest();
  const name = wayNames[way]();
  const send = () =>
    test.mutate(way, {
      onError: notifyError,
      onSuccess: ({ ok, detail }) =>
        ok ? notify('ok', notify_test_done({ way: name })) : notify('bad', notify_test_failed({ reason: faultText(detail) })),
    });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have a heading with buttons beside it
    <div role="group" aria-labelledby={id} className="border-t pt-3">
      <div className="mb-2 flex min-h-7 items-center gap-2">
        <h3 id={id} className="font-medium">
          {name}
        </h3>
        <Badge tone={ready ? 'ok' : 'grey'}>{ready ? notify_ready() : notify_unset()}</Badge>
        <Button icon={Send} size="sm" className="ml-auto" disabled={!ready} pending={test.isPending} onClick={send}>
          {action_test()}
        </Button>
      </div>
      {children && <div className="grid gap-3 sm:grid-cols-2">{children}</div>}
    </div>
  );
}
