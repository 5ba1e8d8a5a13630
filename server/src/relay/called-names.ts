import type { chat } from '@tollgate/wire';
import type { AnswerTransform } from './answer-plan.ts';

/** Calls as the caller names them. */
export function callerNames(called: (name: string) => Pick<chat.ToolCallPart, 'name' | 'extra'>): AnswerTransform {
  const part = (each: chat.Part): chat.Part => (each.kind === 'tool-call' ? { ...each, ...called(each.name) } : each);
  return {
    response: (response) => ({
      ...response,
      answers: response.answers.map((answer) => ({ ...answer, parts: answer.parts.map(part) })),
    }),
    events: () => (event) => {
      if (event.kind === 'whole') return [{ ...event, value: part(event.value) }];
      if (event.kind !== 'part-start' || event.head.kind !== 'tool-call') return [event];
      return [{ ...event, head: { ...event.head, ...called(event.head.name) } }];
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
