import { parentPort } from 'node:worker_threads';

export type Encoding = 'o200k_base' | 'cl100k_base';
export interface CountRequest {
  id: number;
  encoding: Encoding;
  texts: string[];
}

/** Text that looks like a control token is counted as plain text. */
const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

async function count({ encoding, texts }: CountRequest): Promise<number[]> {
  const { countTokens } =
    encoding === 'o200k_base'
      ? await import('gpt-tokenizer/encoding/o200k_base')
      : await import('gpt-tokenizer/encoding/cl100k_base');
  return texts.map((text) => partsOf(text).reduce((sum, part) => sum + (part === '' ? 0 : countTokens(part, plain)), 0));
}

const longRun = /(\S{512}|\s{512})/;

/** Merging takes the square of a run's length: runs that no language has are cut, which changes the count by little. */
function partsOf(text: string): string[] {
  return longRun.test(text) ? text.split(longRun) : [text];
}

parentPort?.on('message', (request: CountRequest) => {
  count(request).then(
    (counts) => parentPort?.postMessage({ id: request.id, counts }),
    () => parentPort?.postMessage({ id: request.id, counts: undefined }),
  );
});
