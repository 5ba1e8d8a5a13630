import type { Bus } from '../bus/bus.ts';
import type { Line, Listeners } from './line.ts';

/** The bus between the workers of one server, through the process that started them. */
export function createWorkerBus(line: Line): Bus {
  return {
    publish: (from) => line.tell('bus', from),
    subscribe: (listener) => line.on('bus', (from) => listener(String(from))),
    async close() {},
  };
}

/** The first process passes on to everybody, the sender too. */
export function passOn(tellAll: (kind: string, ...values: readonly unknown[]) => void): Listeners {
  return { bus: (_worker: number, from: string) => tellAll('bus', from) };
}
