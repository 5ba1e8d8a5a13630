import { type Bus, type BusTopic, createListeners, maxPayload } from '../bus/bus.ts';
import type { Log } from '../log.ts';
import type { Line, Listeners } from './line.ts';

/** The bus between the workers of one server, through the process that started them. */
export function createWorkerBus(line: Line, log: Log): Bus {
  const listeners = createListeners(log);
  line.on('bus', (topic, payload) => listeners.deliver(String(topic), String(payload)));
  return {
    publish(topic, payload) {
      if (payload.length <= maxPayload) line.tell('bus', topic, payload);
    },
    subscribe: listeners.add,
    async close() {},
  };
}

/** The first process passes on to everybody, the sender too. */
export function passOn(tellAll: (kind: string, ...values: readonly unknown[]) => void): Listeners {
  return { bus: (_from: number, topic: BusTopic, payload: string) => tellAll('bus', topic, payload) };
}
