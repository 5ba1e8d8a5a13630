import type { StreamDecoder } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import { noRoom } from '../chat/room.ts';
import { asObject, asObjects, asText, type JsonObject, parseObject } from '../json.ts';
import { isErrorAnswer } from '../openai-chat/error.ts';
import type { SseFrame } from '../sse.ts';
import { finishOf } from './decode-response.ts';
import { failureOf } from './error.ts';
import { answerExtra } from './extra.ts';
import { createItemReader, type ItemReader } from './item-reader.ts';
import { dialectName, isPlainCall } from './types.ts';
import { readUsage } from './usage.ts';

/** Reads one stream: deltas as they come, at its end also what came without any. */
class Decoder implements StreamDecoder {
  readonly #items: ItemReader = createItemReader();
  /** Places of items that are told when they are whole. */
  readonly #late = new Set<unknown>();
  #isStarted = false;
  #isOver = false;
  /** Uses of hosted tools that were told. */
  #told = 0;

  push({ event, data }: SseFrame): readonly ChatEvent[] {
    // Some upstreams end the stream a second time, in the manner of the chat dialect.
    if (this.#isOver || data === undefined || data.trim() === '[DONE]') return [];
    const body = parseObject(data);
    if (body === undefined) return [{ kind: 'malformed' }];
    const type = asText(body.type) || event;
    if (type === 'error' || (asText(body.type) === '' && isErrorAnswer(body))) return this.#fail({ ...body, type: 'error' });
    const response = asObject(body.response);
    if (response !== undefined) return this.#takeLifecycle(type, response);
    if (typeof body.delta === 'string' && this.#late.has(body.output_index)) return [{ kind: 'work', text: body.delta }];
    const entries = this.#items.take(type, body);
    const logprobs: ChatEvent[] = entries.length === 0 ? [] : [{ kind: 'logprobs', choice: 0, entries }];
    const item = asObject(body.item);
    if (type === 'response.output_item.added' && isToldLate(item)) {
      this.#late.add(body.output_index);
      return [{ kind: 'work', text: asText(item?.name) }, ...this.#taken()];
    }
    return [...logprobs, ...this.#taken()];
  }

  #taken(): readonly ChatEvent[] {
    const { sequence, uses } = this.#items;
    const taken = sequence.take();
    const count = uses.size === this.#told ? undefined : uses.told();
    this.#told = uses.size;
    if (sequence.isSound) return count === undefined ? taken : [...taken, { kind: 'uses', uses: count }];
    this.#isOver = true;
    return [noRoom];
  }

  #fail(body: JsonObject, before: readonly ChatEvent[] = []): readonly ChatEvent[] {
    this.#isOver = true;
    return [...before, { kind: 'error', error: failureOf(body) }];
  }

  #takeLifecycle(type: string, response: JsonObject): readonly ChatEvent[] {
    const events: ChatEvent[] = [];
    if (!this.#isStarted) events.push(startOf(response));
    this.#isStarted = true;
    const usage = readUsage(response.usage);
    const counted: ChatEvent[] = usage === undefined ? [] : [{ kind: 'usage', usage }];
    if (type === 'response.failed' || type === 'response.cancelled') return this.#fail(response, [...events, ...counted]);
    if (type !== 'response.completed' && type !== 'response.incomplete') return events;
    const entries = this.#items.complete(asObjects(response.output));
    if (entries.length > 0) events.push({ kind: 'logprobs', choice: 0, entries });
    events.push(...this.#taken());
    if (this.#isOver) return events;
    this.#isOver = true;
    const uses = this.#items.uses.told(response);
    if (uses !== undefined) events.push({ kind: 'uses', uses });
    const serviceTier = asText(response.service_tier);
    const extra = answerExtra(response) ?? { dialect: dialectName, fields: {} };
    if (serviceTier !== '') events.push({ kind: 'extra', extra, serviceTier });
    else if (Object.keys(extra.fields).length > 0) events.push({ kind: 'extra', extra });
    const finish = finishOf({ ...response, status: type.slice('response.'.length) }, this.#items.kinds);
    if (finish !== undefined) events.push({ kind: 'finish', choice: 0, finish });
    return [...events, ...counted, { kind: 'end' }];
  }

  /** Every stream that is whole says so itself. */
  end(): readonly ChatEvent[] {
    return [];
  }
}

/** All but what is read piece by piece. */
function isToldLate(item: JsonObject = {}): boolean {
  return item.type !== 'message' && item.type !== 'reasoning' && !isPlainCall(item);
}

function startOf({ id, model, created_at }: JsonObject): ChatEvent {
  const created = typeof created_at === 'number' ? { created: created_at } : {};
  return { kind: 'start', id: asText(id), model: asText(model), ...created };
}

/** A decoder for one stream of this dialect. */
export function createDecoder(): StreamDecoder {
  return new Decoder();
}
