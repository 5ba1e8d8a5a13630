import type { AnswerContext, StreamEncoder } from '../chat/dialect.ts';
import { createLosses } from '../chat/losses.ts';
import type { ChatEvent, PartHead } from '../chat/response.ts';
import { asText, type JsonObject } from '../json.ts';
import { encodeUsage } from '../openai-chat/encode-response.ts';
import { errorFrame } from '../openai-chat/error.ts';
import { encodeFinish } from '../openai-chat/finish.ts';
import { doneFrame } from '../openai-chat/stream.ts';
import { encodeFrame } from '../sse.ts';
import type { TokenUsage } from '../usage.ts';
import { encodeLogprobs } from './logprobs.ts';
import { answerId, plainText, sayPart } from './response.ts';

interface ChoiceState {
  head: PartHead | undefined;
  isFinished: boolean;
  /** Length of the tokens whose probabilities were told. */
  told: number;
}

const lost: Readonly<Record<string, string>> = { 'tool-call': 'tools', reasoning: 'reasoning', audio: 'audio' };

/** Writes one stream of `text_completion` frames; what is no text is lost. */
export function createEncoder(context: AnswerContext): StreamEncoder {
  const { lose, list } = createLosses();
  const choices = new Map<number, ChoiceState>();
  const { created, model } = context;
  const head = { id: answerId(context.id), object: 'text_completion', created, model };

  const stateOf = (index: number): ChoiceState => {
    const state = choices.get(index) ?? { head: undefined, isFinished: false, told: 0 };
    choices.set(index, state);
    return state;
  };
  const frame = (index: number, text: string, more: JsonObject = {}) =>
    encodeFrame(JSON.stringify({ ...head, choices: [{ text, index, logprobs: null, finish_reason: null, ...more }] }));
  const finish = (index: number, state: ChoiceState, reason: string): Buffer | undefined => {
    if (state.isFinished) return undefined;
    state.isFinished = true;
    return frame(index, '', { finish_reason: reason });
  };
  const open = (state: ChoiceState, partHead: PartHead) => {
    state.head = partHead;
    const word = lost[partHead.kind];
    if (word !== undefined) lose(word);
  };

  const pushPart = (event: Extract<ChatEvent, { choice: number }>): Buffer | undefined => {
    const { choice } = event;
    const state = stateOf(choice);
    switch (event.kind) {
      case 'part-start':
        open(state, event.head);
        return undefined;
      case 'delta':
        return state.head?.kind === 'text' || state.head?.kind === 'refusal' ? frame(choice, event.text) : undefined;
      case 'part-end':
        if (event.tail?.citations !== undefined) lose('citations');
        return state.head?.kind === 'audio' && event.tail?.transcript !== undefined
          ? frame(choice, event.tail.transcript)
          : undefined;
      case 'whole': {
        const text = sayPart(event.value, lose);
        return text === '' ? undefined : frame(choice, text);
      }
      case 'logprobs': {
        const logprobs = encodeLogprobs(event.entries, state.told);
        state.told += event.entries.reduce((sum, { token }) => sum + asText(token).length, 0);
        return frame(choice, '', { logprobs });
      }
      case 'finish': {
        const { reason } = event.finish;
        return finish(choice, state, encodeFinish(reason === 'tool-calls' ? undefined : event.finish, plainText));
      }
    }
  };

  return {
    push(event) {
      if (event.kind === 'error') return errorFrame(event.error);
      if (event.kind === 'extra') for (const field of Object.keys(event.extra.fields)) lose(field);
      return 'choice' in event ? pushPart(event) : undefined;
    },
    close(usage: TokenUsage | undefined) {
      if (choices.size === 0) stateOf(0);
      const ends = [...choices].map(([index, state]) => finish(index, state, 'stop')).filter((bytes) => bytes !== undefined);
      const figures = usage !== undefined && context.wantsUsage ? { ...head, choices: [], usage: encodeUsage(usage) } : undefined;
      return Buffer.concat([...ends, ...(figures === undefined ? [] : [encodeFrame(JSON.stringify(figures))]), doneFrame]);
    },
    get losses() {
      return list();
    },
  };
}
