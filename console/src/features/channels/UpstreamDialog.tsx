import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck, RefreshCw } from 'lucide-react';
import { upstreamQuery } from '../../api/channel-ops.ts';
import { channelQuery } from '../../api/channels.ts';
import { textOf } from '../../api/errors.ts';
import {
  action_close,
  action_retry,
  channel_upstream_list,
  channel_upstream_none,
  channel_upstream_running,
  channel_upstream_title,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

const parent = getRouteApi('/_console/_admin/channel');
const route = getRouteApi('/_console/_admin/channel/upstream/$id');

function Result({ types }: { types: readonly string[] }) {
  if (types.length === 0) return <Alert tone="warn">{channel_upstream_none()}</Alert>;
  return (
    <ul className="flex flex-col gap-1.5">
      {types.map((type) => (
        <li key={type} className="flex items-center gap-2">
          <CircleCheck size={15} aria-hidden className="text-ok" />
          <code>{type}</code>
        </li>
      ))}
    </ul>
  );
}

/** /channel/upstream/$id: which dialects the upstream of a channel speaks. */
export function UpstreamDialog() {
  const id = Number(route.useParams().id);
  const navigate = parent.useNavigate();
  const close = () => void navigate({ to: '/channel', search: true });
  const { data: channel } = useQuery(channelQuery(id));
  const probe = useQuery(upstreamQuery(id));
  return (
    <Dialog
      title={channel_upstream_title({ name: channel?.name ?? `#${id}` })}
      description={channel_upstream_list()}
      onClose={close}
      footer={
        <>
          <Button icon={RefreshCw} pending={probe.isFetching} onClick={() => void probe.refetch()}>
            {action_retry()}
          </Button>
          <Button tone="primary" onClick={close}>
            {action_close()}
          </Button>
        </>
      }
    >
      <div aria-live="polite" aria-busy={probe.isFetching} className="min-h-16">
        {probe.isFetching ? (
          <p className="text-muted">{channel_upstream_running()}</p>
        ) : probe.error ? (
          <Alert tone="bad">{textOf(probe.error)}</Alert>
        ) : (
          <Result types={probe.data ?? []} />
        )}
      </div>
    </Dialog>
  );
}
