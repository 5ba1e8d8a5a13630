/** Joins pieces of base64, each of which stands for itself, into one text of base64. */
export interface Sound {
  /** The text that the piece adds. */
  add(base64: string): string;
  /** The last bytes, after which nothing can be added. */
  rest(): string;
}

/** Base64 stands for three bytes at a time: what is left over waits for the next piece. */
export function createSound(): Sound {
  let waiting: Buffer = Buffer.alloc(0);
  return {
    add(base64) {
      const bytes = Buffer.from(base64, 'base64');
      const all = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
      const end = all.length - (all.length % 3);
      waiting = all.subarray(end);
      return all.toString('base64', 0, end);
    },
    rest: () => waiting.toString('base64'),
  };
}
