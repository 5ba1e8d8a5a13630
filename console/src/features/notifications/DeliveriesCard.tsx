import { useQuery } from '@tanstack/react-query';
import type { Delivery, DeliveryState } from '@tollgate/contract';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import {
  deliveries_attempts,
  deliveries_empty,
  deliveries_failed,
  deliveries_next,
  deliveries_retry,
  deliveries_retry_done,
  deliveries_sent,
  deliveries_text,
  deliveries_title,
  deliveries_waiting,
} from '../../i18n/generated/messages.ts';
import { getLanguage } from '../../i18n/language.ts';
import { StatusDot, type Tone } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Time } from '../../ui/Time.tsx';
import { ShortPager } from '../../ui/table/Pager.tsx';
import { eventName, faultText, wayNames } from './names.ts';
import { deliveriesPerPage, deliveriesQuery, useRetry } from './queries.ts';

const states: Record<DeliveryState, { text(): string; tone: Tone }> = {
  waiting: { text: deliveries_waiting, tone: 'info' },
  sent: { text: deliveries_sent, tone: 'ok' },
  failed: { text: deliveries_failed, tone: 'bad' },
};

function Row({ delivery }: { delivery: Delivery }) {
  const { id, event, way, state, title, title_en: titleEn, attempts, detail, created_at: created, due_at: due } = delivery;
  const retry = useRetry();
  const face = states[state];
  const again = () => retry.mutate(id, { onError: notifyError, onSuccess: () => notify('ok', deliveries_retry_done()) });
  return (
    <li className="flex min-h-12 items-center gap-3 py-1.5">
      <div className="min-w-0 grow">
        <p title={eventName(event)}>{getLanguage() === 'zh' ? title : titleEn}</p>
        <p className="flex flex-wrap gap-x-2 text-muted text-xs">
          <span>{wayNames[way]()}</span>
          <Time seconds={created} />
          {attempts > 1 && <span>{deliveries_attempts({ count: attempts })}</span>}
          {detail !== '' && <span className="text-bad">{faultText(detail)}</span>}
          {state === 'waiting' && due > created && (
            <span>
              {deliveries_next()} <Time seconds={due} />
            </span>
          )}
        </p>
      </div>
      <StatusDot tone={face.tone}>{face.text()}</StatusDot>
      {state === 'failed' && (
        <IconButton icon={RotateCcw} label={deliveries_retry()} size="sm" disabled={retry.isPending} onClick={again} />
      )}
    </li>
  );
}

/** What was sent to this user, what waits, and what did not arrive. */
export function DeliveriesCard() {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(deliveriesQuery(page));
  const last = Math.max(1, Math.ceil((data?.total ?? 0) / deliveriesPerPage));
  const empty = data !== undefined && data.total === 0;
  return (
    <Card title={deliveries_title()} text={empty ? deliveries_empty() : deliveries_text()}>
      {error && <LoadError error={error} retry={refetch} />}
      {!empty && (
        <ul className="-mt-1 flex min-h-12 flex-col divide-y divide-line">
          {data?.items.map((delivery) => (
            <Row key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {last > 1 && <ShortPager page={page} last={last} hasNext={page < last} setPage={setPage} />}
    </Card>
  );
}
