import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

const longestMs = 60_000;

/** Resolves when a server that was just started says these words; rejects with what it said instead. */
export function untilReady(name: string, child: ChildProcess, output: Readable | null, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = () => {
      child.stdin?.end();
      reject(new Error(`${name} did not start: ${text}`));
    };
    // The shell around a server lives on where that ends at once, as its port is taken, say, until its own input closes.
    const inVain = setTimeout(fail, longestMs);
    const end = (settle: () => void) => () => {
      clearTimeout(inVain);
      settle();
    };
    const done = end(resolve);
    output?.on('data', (chunk: Buffer) => {
      if (text.length > 65_536) return;
      text += chunk.toString();
      if (text.includes(words)) done();
    });
    child.once('error', end(fail));
    child.once('close', end(fail));
  });
}
