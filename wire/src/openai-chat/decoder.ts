import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import { errorInOk, isErrorAnswer } from '../error.ts';
import { asObject, asText, type JsonObject, parseObject } from '../json.ts';
import type { SseFrame } from '../sse.ts';
import type { ToolUses } from '../tool-uses.ts';
import { type ChoiceStream, createChoiceStream } from './choice-stream.ts';
import { extraFields } from './decode-response.ts';
import { ownExtra } from './extra.ts';
import { usageOf, usesOf } from './usage.ts';

/** More choices than a request may ask for. */
const maxChoices = 128;
const nothing: readonly ChatEvent[] = [];

class Decoder implements StreamDecoder {
  readonly #choices = new Map<number, ChoiceStream>();
  #events: ChatEvent[] = [];
  #isOver = false;
  #id = '';
  #started = false;
  #serviceTier = '';
  #uses: ToolUses | undefined;
  /** Extra fields told so far, spelled, so that those of every chunk are told once. */
  readonly #told = new Map<string, string>();

  push({ event, data = '' }: SseFrame): readonly ChatEvent[] {
    if (this.#isOver) return nothing;
    this.#events = [];
    if (data === '[DONE]' || data.trim() === '[DONE]') this.#finish();
    else this.#take(parseObject(data), event);
    return this.#events;
  }

  end(): readonly ChatEvent[] {
    return nothing;
  }

  #finish() {
    this.#isOver = true;
    for (const choice of this.#choices.values()) choice.close(this.#events);
    this.#events.push({ kind: 'end' });
  }

  #take(chunk: JsonObject | undefined, event: string) {
    if (chunk === undefined) {
      this.#events.push({ kind: 'malformed' });
    } else if (isErrorAnswer(chunk) || event === 'error') {
      this.#isOver = true;
      this.#events.push({ kind: 'error', error: errorInOk(chunk) });
    } else this.#absorb(chunk);
  }

  #absorb(chunk: JsonObject) {
    const choices = Array.isArray(chunk.choices) ? chunk.choices : [];
    const usage = usageOf(chunk);
    if (!this.#started && (choices.length > 0 || usage !== undefined)) this.#start(chunk);
    this.#absorbExtra(chunk);
    this.#absorbUses(chunk);
    for (const raw of choices) {
      const choice = asObject(raw);
      if (choice === undefined || !this.#absorbChoice(choice)) this.#events.push({ kind: 'malformed' });
    }
    if (usage !== undefined) this.#events.push({ kind: 'usage', usage });
  }

  #absorbUses(chunk: JsonObject) {
    const uses = usesOf(chunk, this.#uses);
    if (uses === undefined || uses === this.#uses) return;
    this.#uses = uses;
    this.#events.push({ kind: 'uses', uses });
  }

  #start(chunk: JsonObject) {
    this.#started = true;
    this.#id = asText(chunk.id);
    const created = typeof chunk.created === 'number' ? { created: chunk.created } : {};
    this.#events.push({ kind: 'start', id: this.#id, model: asText(chunk.model), ...created });
  }

  #absorbExtra(chunk: JsonObject) {
    const fields = extraFields(chunk);
    const tier = asText(chunk.service_tier);
    const isNewTier = tier !== '' && tier !== this.#serviceTier;
    if (fields === undefined && !isNewTier) return;
    let fresh: JsonObject | undefined;
    for (const [key, value] of Object.entries(fields ?? {})) {
      const spelled = typeof value === 'string' ? value : JSON.stringify(value);
      if (this.#told.get(key) === spelled) continue;
      this.#told.set(key, spelled);
      fresh ??= {};
      fresh[key] = value;
    }
    if (fresh === undefined && !isNewTier) return;
    this.#serviceTier = tier;
    const told = isNewTier ? { serviceTier: tier } : {};
    const extra = ownExtra(fresh ?? {});
    if (extra !== undefined) this.#events.push({ kind: 'extra', extra, ...told });
  }

  #absorbChoice(choice: JsonObject): boolean {
    const index = choice.index ?? 0;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= maxChoices) return false;
    let stream = this.#choices.get(index);
    if (stream === undefined) {
      stream = createChoiceStream(index, this.#id);
      this.#choices.set(index, stream);
    }
    return stream.take(choice, this.#events);
  }
}

/** Reads one stream of `chat.completion.chunk` frames that `[DONE]` ends. */
export function createDecoder(): StreamDecoder {
  return new Decoder();
}
