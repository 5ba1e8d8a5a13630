import { noArguments } from '../chat/parts.ts';
import type { ChatEvent, Finish, PartHead } from '../chat/response.ts';

/**
 * Turns what a stream's frames say into events whose parts are sequential: a part opens with its first piece and closes
 * when a piece of another one comes. `take` hands out what has gathered.
 */
export interface AnswerWriter {
  start(id: string, model: string, created?: number): void;
  text(choice: number, text: string): void;
  reasoning(choice: number, text: string): void;
  /** A piece of a tool call. `key` tells the calls of one choice apart; id and name count with the first piece. */
  call(choice: number, key: string | number, head: { readonly id: string; readonly name: string }, text: string): void;
  finish(choice: number, finish: Finish): void;
  emit(event: ChatEvent): void;
  take(): ChatEvent[];
}

interface ChoiceState {
  part: number;
  /** What the open part is; undefined = none is open. */
  key: string | number | undefined;
  /** It is a call for which nothing was written yet. */
  isBare: boolean;
  finished: boolean;
}

/** A writer for one stream; `dialect` signs its reasoning. */
export function createAnswerWriter(dialect: string): AnswerWriter {
  const choices = new Map<number, ChoiceState>();
  let events: ChatEvent[] = [];
  let started = false;

  const stateOf = (choice: number): ChoiceState => {
    const known = choices.get(choice);
    if (known !== undefined) return known;
    const fresh: ChoiceState = { part: 0, key: undefined, isBare: false, finished: false };
    choices.set(choice, fresh);
    return fresh;
  };
  const close = (choice: number, state: ChoiceState) => {
    if (state.key === undefined) return;
    if (state.isBare) events.push({ kind: 'delta', choice, part: state.part, text: noArguments });
    events.push({ kind: 'part-end', choice, part: state.part });
    state.part += 1;
    state.key = undefined;
  };
  const piece = (choice: number, key: string | number, head: () => PartHead, text: string) => {
    const state = stateOf(choice);
    if (state.finished) return;
    if (state.key !== key) {
      close(choice, state);
      state.key = key;
      const opening = head();
      state.isBare = opening.kind === 'tool-call';
      events.push({ kind: 'part-start', choice, part: state.part, head: opening });
    }
    if (text === '') return;
    state.isBare = false;
    events.push({ kind: 'delta', choice, part: state.part, text });
  };

  return {
    start(id, model, created) {
      if (!started) events.push({ kind: 'start', id, model, ...(created === undefined ? {} : { created }) });
      started = true;
    },
    text: (choice, text) => text !== '' && piece(choice, ' text', () => ({ kind: 'text' }), text),
    reasoning: (choice, text) => text !== '' && piece(choice, ' reasoning', () => ({ kind: 'reasoning', dialect }), text),
    call: (choice, key, { id, name }, text) => piece(choice, key, () => ({ kind: 'tool-call', id, name }), text),
    finish(choice, finish) {
      const state = stateOf(choice);
      if (state.finished) return;
      close(choice, state);
      state.finished = true;
      events.push({ kind: 'finish', choice, finish });
    },
    emit: (event) => events.push(event),
    take() {
      const out = events;
      events = [];
      return out;
    },
  };
}
