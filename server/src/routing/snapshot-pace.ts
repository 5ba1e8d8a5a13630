/** Long work in slices, between which requests are served. */
export interface Pace {
  isDue(): boolean;
  /** Lets everybody else have a turn. */
  rest(): Promise<void>;
}

const sliceMs = 3;

export function createPace(): Pace {
  let endMs = performance.now() + sliceMs;
  return {
    isDue: () => performance.now() > endMs,
    async rest() {
      await new Promise(setImmediate);
      endMs = performance.now() + sliceMs;
    },
  };
}
