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
  return texts.map((text) => countTokens(text, plain));
}

parentPort?.on('message', (request: CountRequest) => {
  count(request).then(
    (counts) => parentPort?.postMessage({ id: request.id, counts }),
    () => parentPort?.postMessage({ id: request.id, counts: undefined }),
  );
});
