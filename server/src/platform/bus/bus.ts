/**
 * Wakes the nodes of one installation. It only makes things quicker: a message may be lost, doubled or late, so whoever listens
 * must also find out by itself. Nothing here throws or waits.
 */
export interface Bus {
  /** Tells all nodes, this one too, who says so: a name, and never a secret or an amount. */
  publish(from: string): void;
  /** To be called once. The listener must not throw. */
  subscribe(listener: (from: string) => void): void;
  close(): Promise<void>;
}
