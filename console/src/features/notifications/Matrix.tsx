import { type NotifyEvent, type NotifyWay, notifyEvents, type Subscriptions } from '@tollgate/contract';
import { Fragment } from 'react';
import {
  notify_group_root,
  notify_group_user,
  notify_matrix,
  notify_toggle,
  notify_urgent,
} from '../../i18n/generated/messages.ts';
import { toggled } from './model.ts';
import { eventName, wayNames } from './names.ts';

interface Props {
  events: readonly NotifyEvent[];
  ways: readonly NotifyWay[];
  value: Subscriptions;
  onChange(value: Subscriptions): void;
}

function Row({ event, ways, value, onChange }: Omit<Props, 'events'> & { event: NotifyEvent }) {
  return (
    <tr className="border-t">
      <th scope="row" className="min-w-28 break-normal py-1 pr-3 text-start font-normal">
        {eventName(event)}
        {'urgent' in notifyEvents[event] && <span className="ml-1.5 text-muted text-xs">{notify_urgent()}</span>}
      </th>
      {ways.map((way) => (
        <td key={way} className="px-1 text-center max-sm:px-0">
          <label className="inline-grid size-8 cursor-pointer place-items-center rounded-md hover:bg-grey-tint">
            <input
              type="checkbox"
              className="checkbox"
              aria-label={notify_toggle({ event: eventName(event), way: wayNames[way]() })}
              checked={value[event]?.includes(way) ?? false}
              onChange={() => onChange(toggled(value, event, way))}
            />
          </label>
        </td>
      ))}
    </tr>
  );
}

/** On a phone such a name stands on its side over its column: five side by side would not be in sight. */
const cannotBreak = (name: string): boolean => /^[\w-]+$/.test(name);

/** Which events come by which ways. */
export function Matrix({ events, ways, value, onChange }: Props) {
  const groups = [
    { name: notify_group_user(), events: events.filter((event) => notifyEvents[event].to === 'user') },
    { name: notify_group_root(), events: events.filter((event) => notifyEvents[event].to === 'root') },
  ].filter((group) => group.events.length > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="overflow-x-auto" aria-label={notify_matrix()} tabIndex={0}>
      <table className="w-full text-sm" aria-label={notify_matrix()}>
        {groups.map((group) => (
          <Fragment key={group.name}>
            <thead>
              <tr>
                <th scope="col" className="py-1.5 pr-3 text-start font-medium text-muted text-xs">
                  {group.name}
                </th>
                {ways.map((way) => (
                  <th
                    key={way}
                    scope="col"
                    className="min-w-14 whitespace-nowrap px-1 font-medium text-muted text-xs max-sm:min-w-0 max-sm:px-0 max-sm:align-bottom"
                  >
                    <span className={cannotBreak(wayNames[way]()) ? 'max-sm:[writing-mode:vertical-rl]' : ''}>
                      {wayNames[way]()}
                    </span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {group.events.map((event) => (
                <Row key={event} event={event} ways={ways} value={value} onChange={onChange} />
              ))}
            </tbody>
          </Fragment>
        ))}
      </table>
    </section>
  );
}
