import { isNotifyEvent, notifyEventNames, notifyEvents } from '@tollgate/contract';

/** Whether it rings in quiet hours; a test does, since somebody waits for it. */
export function isUrgent(event: string): boolean {
  return event === 'test' || (isNotifyEvent(event) && 'urgent' in notifyEvents[event]);
}

export function isAtWill(event: string): boolean {
  return isNotifyEvent(event) && 'atWill' in notifyEvents[event];
}

export const urgentEvents = notifyEventNames.filter(isUrgent);

/** What overtakes what, first to last; each lane has its own bound. */
export const lanes = { urgent: 0, own: 1, mass: 2 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];

export function laneOf({ event, audience }: { readonly event: string; readonly audience: string }): Lane {
  if (audience === 'all') return lanes.mass;
  return isUrgent(event) ? lanes.urgent : lanes.own;
}
