import { isNotifyEvent, notifyEvents } from '@tollgate/contract';

/** Whether it rings in quiet hours; a test does, since somebody waits for it. */
export function isUrgent(event: string): boolean {
  return event === 'test' || (isNotifyEvent(event) && 'urgent' in notifyEvents[event]);
}
