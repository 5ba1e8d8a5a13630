import type { Console } from './console-client.ts';
import { postJson } from './post-json.ts';

/** What a caller knows of a call. */
export interface Seen {
  readonly id: string;
  readonly status: number;
  /** The whole answer came. */
  readonly isWhole: boolean;
  /** Some of the answer of a call that was not refused came. */
  readonly gotBytes: boolean;
  /** What it was told instead of an answer. */
  readonly text: string;
  /** From the question to the end of what came. */
  readonly ms: number;
  readonly startedMs: number;
  readonly callerKey: string;
  readonly model: string;
}

export interface MixedLoad {
  readonly seen: readonly Seen[];
  /** Codes whose credit was confirmed. */
  readonly redeemed: readonly string[];
  /** Resolves when so many more calls have been answered; rejects with the last answer when they are not for long. */
  answered(more: number): Promise<void>;
  /** Ends after the calls under way. */
  stop(): Promise<void>;
}

interface Caller {
  readonly key: string;
  readonly model: string;
  readonly stream: boolean;
}

interface Wanted {
  readonly url: string;
  readonly callers: readonly Caller[];
  /** Redeems these, one after the other; what is not answered is asked again. */
  readonly codes?: readonly string[];
  readonly redeemer?: Console;
  /** Of a caller after each answer. */
  readonly pauseMs?: number;
}

const restMs = 20;
/** A caller who hears nothing for so long goes on: a connection that was on its way to a process that is killed may stay open. */
const patienceMs = 40_000;
/** Less than a test may take: whoever waits in vain for answers is told what came instead. */
const vainMs = 80_000;

/** Callers without pause, unless one is wanted; whatever breaks, they go on until they are stopped. */
export function startMixedLoad({ url, callers, codes = [], redeemer, pauseMs = 0 }: Wanted): MixedLoad {
  const seen: Seen[] = [];
  const redeemed: string[] = [];
  let whole = 0;
  let isOver = false;
  const waiters = new Set<{ at: number; wake: () => void }>();
  const call = async (caller: Caller) => {
    while (!isOver) {
      const one = await ask(url, caller);
      seen.push(one);
      if (one.isWhole) whole += 1;
      // Who is refused does not knock without a breath.
      const breathMs = one.isWhole ? pauseMs : Math.max(restMs, pauseMs);
      if (breathMs > 0) await new Promise((resolve) => setTimeout(resolve, breathMs));
      for (const waiter of waiters) if (whole >= waiter.at) waiter.wake();
    }
  };
  const redeem = async (user: Console) => {
    for (let next = 0; next < codes.length && !isOver; ) {
      const key = codes[next] ?? '';
      const answer = await user.raw('POST', '/api/user/topup', { key }).catch(() => undefined);
      const isDone = answer?.status === 200;
      if (answer?.body.success === true) redeemed.push(key);
      if (isDone) next += 1;
      await new Promise((resolve) => setTimeout(resolve, restMs));
    }
  };
  const all = Promise.all([...callers.map(call), ...(redeemer === undefined ? [] : [redeem(redeemer)])]);
  return {
    seen,
    redeemed,
    async answered(more) {
      const before = whole;
      await new Promise<void>((resolve, reject) => {
        const inVain = setTimeout(() => {
          const { status, text } = seen.at(-1) ?? {};
          reject(new Error(`${whole - before} of ${more} calls were answered in ${vainMs} ms; the last one: ${status} ${text}`));
        }, vainMs);
        const wake = () => {
          clearTimeout(inVain);
          waiters.delete(waiter);
          resolve();
        };
        const waiter = { at: before + more, wake };
        waiters.add(waiter);
      });
    },
    async stop() {
      isOver = true;
      await all;
    },
  };
}

async function ask(url: string, { key, model, stream }: Caller): Promise<Seen> {
  const startedMs = performance.now();
  const told = () => ({ callerKey: key, model, startedMs, ms: performance.now() - startedMs });
  let id = '';
  let status = 0;
  let text = '';
  try {
    const answer = await postJson(
      `${url}/v1/chat/completions`,
      key,
      { model, stream, messages: [{ role: 'user', content: 'hi' }] },
      { signal: AbortSignal.timeout(patienceMs) },
    );
    status = answer.status;
    id = answer.headers.get('x-oneapi-request-id') ?? '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    const isWhole = status === 200 && (stream ? text.trimEnd().endsWith('data: [DONE]') : text.endsWith('}'));
    return { id, status, isWhole, gotBytes: status === 200 && text !== '', text: isWhole ? '' : text, ...told() };
  } catch (error) {
    return { id, status, isWhole: false, gotBytes: status === 200 && text !== '', text: `${text}${error}`, ...told() };
  }
}
