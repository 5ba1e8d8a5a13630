import { postJson } from './post-json.ts';
export interface Load {
  /** Resolves with the first answered call; rejects when all callers ended without one. */
  readonly firstAnswer: Promise<void>;
  /** Stops after the calls under way; returns the request ids of all completely answered calls. */
  stop(): Promise<string[]>;
}

interface LoadOptions {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  readonly parallel: number;
}

/** Callers that ask without pause, every second one streamed, until the gateway is gone or they are stopped. */
export function startLoad({ url, key, model, parallel }: LoadOptions): Load {
  const answered: string[] = [];
  let stopped = false;
  let first: () => void = () => undefined;
  let none: (error: Error) => void = () => undefined;
  const firstAnswer = new Promise<void>((resolve, reject) => {
    first = resolve;
    none = reject;
  });
  const caller = async (stream: boolean) => {
    while (!stopped) {
      const id = await ask(url, key, model, stream);
      if (id === undefined) return;
      answered.push(id);
      first();
    }
  };
  const callers = Promise.all(Array.from({ length: parallel }, (_, index) => caller(index % 2 === 0)));
  void callers.then(() => none(new Error('no call was answered')));
  return {
    firstAnswer,
    async stop() {
      stopped = true;
      await callers;
      return answered;
    },
  };
}

/** The request id of a complete 200, undefined for anything else. */
async function ask(url: string, key: string, model: string, stream: boolean): Promise<string | undefined> {
  try {
    const answer = await postJson(`${url}/v1/chat/completions`, key, {
      model,
      stream,
      messages: [{ role: 'user', content: 'hi' }],
    });
    const text = await answer.text();
    const complete = stream ? text.trimEnd().endsWith('data: [DONE]') : text.endsWith('}');
    return answer.status === 200 && complete ? (answer.headers.get('x-oneapi-request-id') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
