import { call } from '../../api/call.ts';
import { textForStatus, textForTransport } from '../../api/errors.ts';
import { routes } from '../../api/routes.ts';
import { play_no_quota } from '../../i18n/generated/messages.ts';
import { isRecord, parseRecord } from '../../lib/json.ts';
import type { Answer, ToolCall } from './model.ts';

/** What one answer has become so far. */
export type Progress = (change: (answer: Answer) => Answer) => void;

interface Asked {
  body: Record<string, unknown>;
  userId: number;
  languageTag: string;
  signal: AbortSignal;
  progress: Progress;
}

const maxFrameChars = 4_000_000;
/** Firefox and Safari break calls off as soon as the page begins to be left, long before they hide it. */
const leavingMs = 1000;

/** Asks for one streamed answer and tells how it grows; ends by itself and never rejects. */
export async function ask({ body, userId, languageTag, signal, progress }: Asked): Promise<void> {
  const begun = performance.now();
  const elapsed = () => Math.round(performance.now() - begun);
  let leftAt = Number.NEGATIVE_INFINITY;
  const onLeave = () => {
    leftAt = performance.now();
  };
  addEventListener('beforeunload', onLeave);
  try {
    const response = await fetch('/pg/chat/completions', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Accept-Language': languageTag,
        'Cache-Control': 'no-store',
        'New-Api-User': String(userId),
      },
      body: JSON.stringify(body),
      signal,
    });
    const requestId = response.headers.get('X-Oneapi-Request-Id') ?? '';
    progress((answer) => ({ ...answer, requestId }));
    if (!response.ok || response.body === null) {
      const error = errorOf(parseRecord(await response.text())) || textForStatus(response.status, '');
      // The upstream's, or the session has ended: a call of the console tells, and leads to the sign-in.
      if (response.status === 401) await call(routes.account.self).catch(() => undefined);
      return progress((answer) => ({ ...answer, state: 'error', error, totalMs: elapsed() }));
    }
    let isDone = false;
    for await (const data of frames(response.body)) {
      if (data === '[DONE]') {
        isDone = true;
        break;
      }
      const value = parseRecord(data);
      const error = errorOf(value);
      if (error !== '') return progress((answer) => ({ ...answer, state: 'error', error, totalMs: elapsed() }));
      // Nothing to choose from is an end too: the frame with the usage.
      isDone ||= Array.isArray(value.choices) && value.choices.length === 0;
      progress((answer) => grown(answer, value, elapsed()));
    }
    // A stream without its end was cut on the way.
    const end = isDone ? ({ state: 'complete' } as const) : ({ state: 'error', error: textForTransport(false) } as const);
    progress((answer) => ({ ...answer, ...end, totalMs: elapsed() }));
  } catch {
    const isLeft = signal.aborted || performance.now() - leftAt < leavingMs;
    const end = isLeft ? ({ state: 'stopped' } as const) : ({ state: 'error', error: textForTransport(false) } as const);
    progress((answer) => ({ ...answer, ...end, totalMs: elapsed() }));
  } finally {
    removeEventListener('beforeunload', onLeave);
  }
}

/** The data of each server-sent event. Comments are signs of life and no data. */
async function* frames(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value;
      if (text.length > maxFrameChars) return;
      const lines = text.split(/\r?\n/);
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** An empty wallet is told to programs in words of the wire, to a person in theirs and with a way out. */
function errorOf({ error }: Record<string, unknown>): string {
  if (isRecord(error) && error.code === 'insufficient_user_quota') return play_no_quota();
  return isRecord(error) && typeof error.message === 'string' ? error.message : '';
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** One event of the stream: text, thought, tool calls, or the usage at its end. */
export function grown(answer: Answer, value: Record<string, unknown>, elapsedMs: number): Answer {
  const [choice] = Array.isArray(value.choices) ? value.choices : [];
  const delta = isRecord(choice) && isRecord(choice.delta) ? choice.delta : {};
  const usage = isRecord(value.usage) ? value.usage : {};
  const text = textOf(delta.content);
  const reasoning = textOf(delta.reasoning_content) || textOf(delta.reasoning);
  const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
  const isNews = text !== '' || reasoning !== '' || calls.length > 0;
  return {
    ...answer,
    state: isNews && answer.state === 'loading' ? 'incomplete' : answer.state,
    firstMs: isNews && answer.firstMs === 0 ? elapsedMs : answer.firstMs,
    text: answer.text + text,
    reasoning: answer.reasoning + reasoning,
    toolCalls: calls.reduce(withCall, answer.toolCalls),
    promptTokens: countOf(usage.prompt_tokens) || answer.promptTokens,
    completionTokens: countOf(usage.completion_tokens) || answer.completionTokens,
  };
}

const mostCalls = 64;

function withCall(calls: readonly ToolCall[], delta: unknown): readonly ToolCall[] {
  if (!isRecord(delta)) return calls;
  const index = countOf(delta.index);
  if (index > calls.length || index >= mostCalls) return calls;
  const told = isRecord(delta.function) ? delta.function : {};
  const before = calls[index] ?? { name: '', arguments: '' };
  const now = { name: before.name + textOf(told.name), arguments: before.arguments + textOf(told.arguments) };
  return calls.toSpliced(index, 1, now);
}
