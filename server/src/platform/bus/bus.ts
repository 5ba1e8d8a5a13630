import type { Log } from '../log.ts';

/** What nodes tell each other. A closed list, so that no secret and no money travels by accident. */
export type BusTopic = 'change';

/**
 * Messages between the nodes of one installation. They only make things quicker: one may be lost, doubled or late, so
 * whoever listens must also find out by itself. Nothing here throws or waits.
 */
export interface Bus {
  /** Tells all subscribers of the topic, on every node and in this process too. `payload`: at most 256 characters. */
  publish(topic: BusTopic, payload: string): void;
  subscribe(topic: BusTopic, listener: (payload: string) => void): void;
  close(): Promise<void>;
}

export const maxPayload = 256;

/** Who listens in this process. A listener that throws harms neither the others nor the caller. */
export function createListeners(log: Log) {
  const byTopic = new Map<string, ((payload: string) => void)[]>();
  return {
    add(topic: BusTopic, listener: (payload: string) => void): void {
      byTopic.set(topic, [...(byTopic.get(topic) ?? []), listener]);
    },
    deliver(topic: string, payload: string): void {
      if (payload.length > maxPayload) return;
      for (const listener of byTopic.get(topic) ?? []) {
        try {
          listener(payload);
        } catch (error) {
          log.error({ err: error, topic }, 'a listener on the bus failed');
        }
      }
    },
  };
}
