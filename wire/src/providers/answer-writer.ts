import { noArguments, type Part } from '../chat/parts.ts';
import type { ChatEvent, Finish, PartHead } from '../chat/response.ts';
import { createRoom, noRoom } from '../chat/room.ts';
import type { JsonObject } from '../json.ts';

/**
 * Turns what a stream's frames say into events whose parts are sequential: a part opens with its first piece and closes
 * when a piece of another one comes. `take` hands out what has gathered.
 */
export interface AnswerWriter {
  start(id: string, model: string, created?: number): void;
  text(choice: number, text: string): void;
  /** Adds to the open text. */
  cite(choice: number, citation: JsonObject): void;
  reasoning(choice: number, text: string, signature?: string): void;
  /** A piece of a tool call. `key` tells the calls of one choice apart; id and name count with the first piece. */
  call(choice: number, key: string | number, head: { readonly id: string; readonly name: string }, text: string): void;
  /** A part that comes at once. */
  whole(choice: number, value: Part): void;
  close(choice: number): void;
  finish(choice: number, finish: Finish): void;
  /** Of an answer that was cut a call is cut, too. */
  cut(): void;
  emit(event: ChatEvent): void;
  take(): ChatEvent[];
}

interface ChoiceState {
  part: number;
  /** What the open part is; undefined = none is open. */
  key: string | number | undefined;
  /** It is a call for which nothing was written yet. */
  isBare: boolean;
  signature: string;
  citations: JsonObject[];
  finished: boolean;
}

/** A writer for one stream; `dialect` signs its reasoning. */
export function createAnswerWriter(dialect: string): AnswerWriter {
  const choices = new Map<number, ChoiceState>();
  let events: ChatEvent[] = [];
  let started = false;
  const room = createRoom();
  const keeps = (value: JsonObject | string): boolean => {
    const isSound = room.holds(value);
    if (!isSound) events.push(noRoom);
    return isSound;
  };

  const stateOf = (choice: number): ChoiceState => {
    const known = choices.get(choice);
    if (known !== undefined) return known;
    const fresh: ChoiceState = { part: 0, key: undefined, isBare: false, signature: '', citations: [], finished: false };
    choices.set(choice, fresh);
    return fresh;
  };
  const close = (choice: number, state: ChoiceState) => {
    const { part, signature, citations } = state;
    if (state.key === undefined) return;
    if (state.isBare) events.push({ kind: 'delta', choice, part, text: noArguments });
    const tail = signature !== '' ? { tail: { signature } } : citations.length > 0 ? { tail: { citations } } : {};
    events.push({ kind: 'part-end', choice, part, ...tail });
    Object.assign(state, { part: part + 1, key: undefined, isBare: false, signature: '', citations: [] });
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
    cite(choice, citation) {
      const state = stateOf(choice);
      if (state.key === ' text' && keeps(citation)) state.citations.push(citation);
    },
    reasoning(choice, text, signature = '') {
      if (text === '' && signature === '') return;
      piece(choice, ' reasoning', () => ({ kind: 'reasoning', dialect }), text);
      if (keeps(signature)) stateOf(choice).signature += signature;
    },
    call: (choice, key, { id, name }, text) => piece(choice, key, () => ({ kind: 'tool-call', id, name }), text),
    whole(choice, value) {
      const state = stateOf(choice);
      close(choice, state);
      events.push({ kind: 'whole', choice, part: state.part, value });
      state.part += 1;
    },
    close: (choice) => close(choice, stateOf(choice)),
    finish(choice, finish) {
      const state = stateOf(choice);
      if (state.finished) return;
      close(choice, state);
      state.finished = true;
      events.push({ kind: 'finish', choice, finish });
    },
    cut() {
      for (const [choice, state] of choices) {
        state.isBare = false;
        close(choice, state);
      }
    },
    emit: (event) => events.push(event),
    take() {
      const out = events;
      events = [];
      return out;
    },
  };
}
