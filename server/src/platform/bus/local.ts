import type { Log } from '../log.ts';
import { type Bus, type BusTopic, createListeners } from './bus.ts';

const maxWaiting = 1_000;

/** The bus of a single process: messages arrive in its next turn. */
export function createLocalBus(log: Log): Bus {
  const listeners = createListeners(log);
  let waiting: [BusTopic, string][] = [];
  let closed = false;
  const deliverAll = () => {
    const due = waiting;
    waiting = [];
    if (!closed) for (const [topic, payload] of due) listeners.deliver(topic, payload);
  };
  return {
    publish(topic, payload) {
      if (closed || waiting.length >= maxWaiting) return;
      if (waiting.push([topic, payload]) === 1) setImmediate(deliverAll);
    },
    subscribe: listeners.add,
    async close() {
      closed = true;
    },
  };
}
