import type { chat } from '@tollgate/wire';
import type { RouteChannel } from '../routing/index.ts';
import type { AnswerTransform } from './answer-plan.ts';

const open = '<think>\n';
const close = '\n</think>\n';
/** Between two thoughts of one run. */
const between = '\n';

/** What a channel's setting changes in its answers; undefined = nothing. */
export function answerChange({ thinkingToContent }: RouteChannel['setting']): AnswerTransform | undefined {
  return thinkingToContent ? thoughtsAsText : undefined;
}

/** Thoughts become text between marks (contract 4.10), in a part of their own in front of what follows. */
const thoughtsAsText: AnswerTransform = {
  response: (response) => ({
    ...response,
    answers: response.answers.map((answer) => ({ ...answer, parts: told(answer.parts) })),
  }),
  events: () => {
    const choices = new Map<number, Choice>();
    return (event) => changed(choices, event);
  },
};

function told(parts: readonly chat.Part[]): chat.Part[] {
  const out: chat.Part[] = [];
  let thoughts: string[] = [];
  const flush = () => {
    if (thoughts.length > 0) out.push({ kind: 'text', text: open + thoughts.join(between) + close });
    thoughts = [];
  };
  for (const part of parts) {
    if (part.kind !== 'reasoning') {
      flush();
      out.push(part);
    } else if (part.text !== '') thoughts.push(part.text);
  }
  flush();
  return out;
}

/** One choice of a stream: where its parts stand now that thoughts are text. */
interface Choice {
  /** Number of the part that is being told. */
  part: number;
  /** A text of thoughts was begun and not closed. */
  isThinking: boolean;
  /** The upstream's open part is a thought: its number, and whether it has said something. */
  thought: { readonly part: number; hasText: boolean } | undefined;
}

function changed(choices: Map<number, Choice>, event: chat.ChatEvent): chat.ChatEvent[] {
  if (event.kind === 'end' || event.kind === 'error') {
    return [...[...choices].flatMap(([number, choice]) => closed(choice, number)), event];
  }
  if (!('choice' in event) || event.kind === 'logprobs') return [event];
  const choice = choices.get(event.choice) ?? { part: -1, isThinking: false, thought: undefined };
  choices.set(event.choice, choice);
  return changedPart(choice, event);
}

type PartEvent = Exclude<Extract<chat.ChatEvent, { choice: number }>, { kind: 'logprobs' }>;

function changedPart(choice: Choice, event: PartEvent): chat.ChatEvent[] {
  switch (event.kind) {
    case 'part-start':
      if (event.head.kind === 'reasoning') {
        choice.thought = { part: event.part, hasText: false };
        return [];
      }
      return [...closed(choice, event.choice), { ...event, part: next(choice) }];
    case 'delta':
      return choice.thought?.part === event.part ? thinking(choice, event.choice, event.text) : [{ ...event, part: choice.part }];
    case 'part-end':
      if (choice.thought?.part !== event.part) return [{ ...event, part: choice.part }];
      choice.thought = undefined;
      return [];
    case 'whole': {
      const { value } = event;
      if (value.kind !== 'reasoning') return [...closed(choice, event.choice), { ...event, part: next(choice) }];
      choice.thought = { part: event.part, hasText: false };
      const events = thinking(choice, event.choice, value.text);
      choice.thought = undefined;
      return events;
    }
    case 'finish':
      return [...closed(choice, event.choice), event];
  }
}

function next(choice: Choice): number {
  choice.part += 1;
  return choice.part;
}

function thinking(choice: Choice, number: number, text: string): chat.ChatEvent[] {
  if (text === '' || choice.thought === undefined) return [];
  const isFirst = !choice.thought.hasText;
  choice.thought.hasText = true;
  if (choice.isThinking) {
    return [{ kind: 'delta', choice: number, part: choice.part, text: isFirst ? between + text : text }];
  }
  choice.isThinking = true;
  const part = next(choice);
  return [
    { kind: 'part-start', choice: number, part, head: { kind: 'text' } },
    { kind: 'delta', choice: number, part, text: open + text },
  ];
}

function closed(choice: Choice, number: number): chat.ChatEvent[] {
  if (!choice.isThinking) return [];
  choice.isThinking = false;
  const { part } = choice;
  return [
    { kind: 'delta', choice: number, part, text: close },
    { kind: 'part-end', choice: number, part },
  ];
}
