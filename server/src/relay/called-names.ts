import { chat, openaiResponses, type WireError } from '@tollgate/wire';
import type { AnswerTransform } from './answer-plan.ts';

/** A tool as the caller knows it. */
export type Called = Pick<chat.ToolCallPart, 'name' | 'extra'> & {
  /** It takes a text, and was offered as a function. */
  readonly takesText?: boolean;
};

/** A call whose text is known when its arguments are whole. */
interface OpenCall {
  readonly head: chat.PartHead;
  text: string;
}

/** No model writes as much in one call. An answer with a longer one ends there: who runs half a program never asked for it. */
const maxKeptChars = 4 * 1024 * 1024;
const tooLong: WireError = {
  message: 'the model wrote more arguments for one call than an answer may hold',
  type: 'server_error',
  param: null,
  code: 'server_error',
};

/** Calls as the caller names them. */
export function callerNames(called: (name: string) => Called): AnswerTransform {
  const part = (each: chat.Part): chat.Part => {
    if (each.kind !== 'tool-call') return openaiResponses.renamedTextCall(each, called);
    const { takesText = false, ...own } = called(each.name);
    const call = { ...each, ...own };
    return takesText ? openaiResponses.textCall(call) : call;
  };
  return {
    response: (response) => ({
      ...response,
      answers: response.answers.map((answer) => ({ ...answer, parts: answer.parts.map(part) })),
    }),
    events: () => {
      const open = new Map<number, OpenCall>();
      return (event) => {
        if (event.kind === 'whole') return [{ ...event, value: part(event.value) }];
        if (event.kind === 'part-start' && event.head.kind === 'tool-call') {
          const { takesText = false, ...own } = called(event.head.name);
          if (!takesText) return [{ ...event, head: { ...event.head, ...own } }];
          open.set(event.choice, { head: event.head, text: '' });
          return [{ kind: 'work' }];
        }
        const call = 'choice' in event ? open.get(event.choice) : undefined;
        if (call === undefined || (event.kind !== 'delta' && event.kind !== 'part-end')) return [event];
        if (event.kind === 'delta') {
          call.text += event.text;
          return call.text.length > maxKeptChars ? [{ kind: 'error', isOurs: true, error: tooLong }] : [];
        }
        open.delete(event.choice);
        const value = part(chat.partOf(call.head, call.text, event.tail ?? {}));
        return [{ kind: 'whole', choice: event.choice, part: event.part, value }];
      };
    },
  };
}

/** One change after another; undefined = none. */
export function inSeries(first: AnswerTransform | undefined, second: AnswerTransform | undefined): AnswerTransform | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    response: (response) => second.response(first.response(response)),
    events: () => {
      const [before, after] = [first.events(), second.events()];
      return (event) => before(event).flatMap(after);
    },
  };
}
