import { type chat, openaiResponses, type WireError } from '@tollgate/wire';
import type { AnswerPlan, AnswerReading, AnswerTransform } from './answer-plan.ts';

const noSummary: WireError = {
  message: 'the model wrote no summary of the conversation',
  type: 'server_error',
  param: null,
  code: 'no_summary',
};

/** Nobody could send it back in a request. */
const maxSummaryChars = 4 * 1024 * 1024;
const tooLong: WireError = { ...noSummary, message: 'the model wrote a longer summary than can be kept' };

/** What a model answers to the wish for a summary, as the item that stands for the conversation. `said` stands in front of it. */
export function summaryChange(id: string, said: readonly chat.Part[]): AnswerTransform {
  return {
    response: (response) => ({
      ...response,
      answers: response.answers.map(({ parts, finish }) => ({
        parts: [...said, openaiResponses.summaryPart(textOf(parts), id)],
        finish,
      })),
    }),
    events: () => {
      let [summary, isText] = ['', false];
      return (event) => {
        switch (event.kind) {
          case 'part-start':
            isText = event.head.kind === 'text';
            return [];
          case 'delta':
            if (isText) summary += event.text;
            if (summary.length > maxSummaryChars) return [{ kind: 'error', isOurs: true, error: tooLong }];
            return [{ kind: 'work', text: event.text }];
          case 'whole':
            summary += textOf([event.value]);
            if (summary.length > maxSummaryChars) return [{ kind: 'error', isOurs: true, error: tooLong }];
            return [{ kind: 'work', text: textOf([event.value]) }];
          case 'part-end':
          case 'logprobs':
            return [];
          case 'finish':
            if (summary === '') return [{ kind: 'error', error: noSummary }];
            return [{ kind: 'whole', choice: 0, part: 0, value: openaiResponses.summaryPart(summary, id) }, event];
          default:
            return [event];
        }
      };
    },
  };
}

/** How that is read. An answer without a summary is an error: whoever takes it for the conversation has lost it. */
export function summaryPlan(
  planWith: (transform: AnswerTransform) => AnswerPlan,
  id: string,
  said: readonly chat.Part[],
): AnswerPlan {
  const change = summaryChange(id, said);
  let isWritten = true;
  const response: AnswerTransform['response'] = (answer) => {
    isWritten = answer.answers.some(({ parts }) => textOf(parts) !== '');
    return change.response(answer);
  };
  const plan = planWith({ ...change, response });
  const { readStreamed } = plan;
  const checked = (reading: AnswerReading): AnswerReading =>
    reading.kind === 'answer' && !isWritten ? { kind: 'error', error: noSummary } : reading;
  return {
    ...plan,
    read: (body) => checked(plan.read(body)),
    ...(readStreamed === undefined ? {} : { readStreamed: (body: Buffer) => checked(readStreamed(body)) }),
  };
}

function textOf(parts: readonly chat.Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n\n');
}
