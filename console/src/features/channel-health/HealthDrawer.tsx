import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { channelQuery } from '../../api/channels.ts';
import { healthQuery, timelineQuery } from '../../api/routing.ts';
import { health_breakers, health_keys, health_timeline, health_title } from '../../i18n/generated/messages.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Drawer } from '../../ui/overlay/Drawer.tsx';
import { RefreshButton } from '../../ui/RefreshButton.tsx';
import { Breakers } from './Breakers.tsx';
import { Keys } from './Keys.tsx';
import { Timeline } from './Timeline.tsx';

const parent = getRouteApi('/_console/_admin/channel');
const route = getRouteApi('/_console/_admin/channel/health/$id');

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-5">
      <h3 className="mb-2 text-base">{title}</h3>
      {children}
    </section>
  );
}

/** /channel/health/$id: the state of a channel's keys and breakers, and everything that happened to it. */
export function HealthDrawer() {
  const id = Number(route.useParams().id);
  const navigate = parent.useNavigate();
  const client = useQueryClient();
  const { data: channel } = useQuery(channelQuery(id));
  const health = useQuery(healthQuery(id));
  // Asked for at once, shown below what is above it.
  useQuery(timelineQuery(id, 1));
  const refresh = () => {
    void health.refetch();
    void client.invalidateQueries({ queryKey: ['channel-timeline', id] });
  };
  return (
    <Drawer
      title={health_title({ name: channel?.name ?? `#${id}` })}
      width="wide"
      onClose={() => void navigate({ to: '/channel', search: true })}
      toolbar={<RefreshButton onClick={refresh} />}
    >
      {health.error && <LoadError error={health.error} retry={health.refetch} />}
      {health.isPending && <FormSkeleton />}
      {health.data && (
        <>
          {health.data.keys.length > 1 && (
            <Part title={health_keys()}>
              <Keys channelId={id} channelName={channel?.name ?? `#${id}`} keys={health.data.keys} />
            </Part>
          )}
          <Part title={health_breakers()}>
            <Breakers breakers={health.data.breakers} />
          </Part>
        </>
      )}
      {!health.isPending && (
        <Part title={health_timeline()}>
          <Timeline channelId={id} />
        </Part>
      )}
    </Drawer>
  );
}
