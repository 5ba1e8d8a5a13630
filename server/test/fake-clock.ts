import type { Clock } from '../src/platform/clock.ts';

/** A clock that stands still until told otherwise. */
export class FakeClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  advanceMs(ms: number): void {
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** The wall clock jumps; the monotonic one does not. */
  skewMs(ms: number): void {
    this.#nowMs += ms;
  }
}
