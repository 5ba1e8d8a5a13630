import type { Channel } from '@tollgate/contract';
import { useState } from 'react';
import { useModelFetch } from '../../../api/channel-ops.ts';
import { channel_fetch, channel_fetch_failed } from '../../../i18n/generated/messages.ts';
import { notify, notifyErrorAs } from '../../../ui/notify.ts';
import { part } from '../../../ui/part.tsx';
import { fetchSource } from '../model-diff.ts';
import type { ChannelForm } from './form.ts';

const ModelDiffDialog = part(() => import('./ModelDiffDialog.tsx'), 'ModelDiffDialog');

/** What is faulty among these says so at its field, before anybody is asked. */
const sent = ['keys', 'baseUrl', 'other', 'setting', 'headerOverride'] as const;

interface Props {
  form: ChannelForm;
  channel?: Channel;
  apply(models: string[]): void;
}

/** Asks the upstream what it serves, with the values as typed, and lets the operator choose. */
export function FetchModels({ form, channel, apply }: Props) {
  const fetching = useModelFetch();
  const [offered, setOffered] = useState<readonly string[]>();
  const run = async () => {
    const source = fetchSource(form.getValues(), channel);
    if (typeof source === 'string') return notify('warn', source);
    if (!(await form.trigger(sent, { shouldFocus: true }))) return;
    fetching.mutate(source, {
      onSuccess: setOffered,
      onError: notifyErrorAs((reason) => channel_fetch_failed({ reason })),
    });
  };
  return (
    <>
      <button
        type="button"
        className="chip"
        aria-disabled={fetching.isPending || undefined}
        aria-busy={fetching.isPending || undefined}
        onClick={fetching.isPending ? undefined : run}
      >
        {channel_fetch()}
      </button>
      {offered && (
        <ModelDiffDialog
          models={form.getValues('models')}
          offered={offered}
          mapping={form.getValues('modelMapping')}
          close={() => setOffered(undefined)}
          apply={apply}
        />
      )}
    </>
  );
}
