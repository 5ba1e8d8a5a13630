import { noArguments, type Part } from '../chat/parts.ts';
import type { PartHead } from '../chat/response.ts';
import { asNumber, asObject, asObjects, asText, type JsonObject } from '../json.ts';
import { callHead, decodeItem, decodeMessage, decodeReasoning, kindOf, sectionBreak } from './decode-items.ts';
import { ItemUses } from './item-uses.ts';
import { createSequence, type Sequence } from './sequence.ts';
import { dialectName, isPlainCall } from './types.ts';

/** Reads the events about items, content and their deltas. */
export interface ItemReader {
  readonly sequence: Sequence;
  /** Of the parts seen so far. */
  readonly kinds: ReadonlySet<Part['kind']>;
  /** Of hosted tools, by the items that are whole. */
  readonly uses: ItemUses;
  /** Takes one event; gives the logprobs it brought. Unknown kinds are left alone: their finished items come later. */
  take(type: string, body: JsonObject): readonly JsonObject[];
  /** Takes the output of the finished response: what no event told is told now. Ends all parts. */
  complete(items: readonly JsonObject[]): readonly JsonObject[];
}

interface Place {
  /** Of the item. */
  readonly item: string;
  /** Of its content. */
  readonly content: string;
}

class Reader implements ItemReader {
  readonly sequence = createSequence();
  readonly kinds = new Set<Part['kind']>();
  readonly uses = new ItemUses();
  /** Phases of message items, by index. */
  readonly #phases = new Map<string, string>();
  readonly #citations = new Map<string, JsonObject[]>();
  /** Sections of thoughts and how much of each came: by item, then by section. */
  readonly #sections = new Map<string, Map<string, number>>();
  readonly #done = new Set<string>();
  readonly #doneIds = new Set<string>();

  take(type: string, body: JsonObject): readonly JsonObject[] {
    const place = placeOf(body);
    switch (type) {
      case 'response.output_text.delta':
        return this.#takeText(place, body.delta, body.logprobs);
      case 'response.output_text.done':
        if (this.sequence.charsOf(place.content) !== undefined) this.#fill(place.content, body.text);
        return [];
      case 'response.function_call_arguments.delta':
        this.sequence.delta(place.item, asText(body.delta));
        return [];
      case 'response.refusal.delta':
        this.#start(place.content, { kind: 'refusal' });
        this.sequence.delta(place.content, asText(body.delta));
        return [];
      case 'response.content_part.added':
        this.#startContent(place, asObject(body.part) ?? {});
        return [];
      case 'response.content_part.done':
        return this.#endContent(place, asObject(body.part) ?? {});
      case 'response.output_text.annotation.added':
        this.#addCitation(place.content, asObject(body.annotation));
        return [];
      case 'response.output_item.added':
        this.#startItem(place, asObject(body.item) ?? {});
        return [];
      case 'response.output_item.done':
        return this.#endItem(place.item, asObject(body.item) ?? {});
      default:
        this.#takeThought(type, place, body);
        return [];
    }
  }

  #start(key: string, head: PartHead) {
    this.kinds.add(head.kind);
    this.sequence.start(key, head);
  }

  /** Takes a text that came whole, when no delta had brought it. */
  #fill(key: string, text: unknown) {
    if (this.sequence.charsOf(key) === 0) this.sequence.delta(key, asText(text));
  }

  #textHead({ item }: Place): PartHead {
    const phase = this.#phases.get(item);
    return { kind: 'text', ...(phase === undefined ? {} : { phase }) };
  }

  #takeText(place: Place, delta: unknown, logprobs: unknown): readonly JsonObject[] {
    this.#start(place.content, this.#textHead(place));
    this.sequence.delta(place.content, asText(delta));
    return asObjects(logprobs);
  }

  #startContent(place: Place, part: JsonObject) {
    if (part.type === 'output_text') this.#start(place.content, this.#textHead(place));
    else if (part.type === 'refusal') this.#start(place.content, { kind: 'refusal' });
    else if (part.type === 'reasoning_text') this.#section(place.item, `content ${place.content}`);
  }

  /** Ends a content part; one that no delta brought is told whole, with its logprobs. */
  #endContent(place: Place, part: JsonObject): readonly JsonObject[] {
    if (part.type === 'reasoning_text') return [];
    if (part.type !== 'output_text' && part.type !== 'refusal') {
      for (const value of decodeMessage({ content: [part] })) this.sequence.whole(place.content, value);
      return [];
    }
    this.#startContent(place, part);
    const charsBefore = this.sequence.charsOf(place.content);
    this.#fill(place.content, part.text ?? part.refusal);
    const isNew = charsBefore !== this.sequence.charsOf(place.content);
    const told = asObjects(part.annotations);
    const citations = told.length > 0 ? told : (this.#citations.get(place.content) ?? []);
    this.sequence.end(place.content, citations.length === 0 ? undefined : { citations });
    this.#citations.delete(place.content);
    return isNew ? asObjects(part.logprobs) : [];
  }

  #addCitation(key: string, annotation: JsonObject | undefined) {
    const citations = this.#citations.get(key) ?? [];
    this.#citations.set(key, citations);
    if (annotation === undefined) return;
    citations.push(annotation);
    this.sequence.wait(JSON.stringify(annotation).length);
  }

  #startItem({ item: key }: Place, item: JsonObject) {
    const phase = asText(item.phase);
    if (item.type === 'message' && phase !== '') {
      this.#phases.set(key, phase);
      this.sequence.wait(phase.length);
    } else if (isPlainCall(item)) this.#start(key, callHead(item));
    else if (item.type === 'reasoning') this.#start(key, thoughtHead(item));
  }

  #endItem(key: string, item: JsonObject): readonly JsonObject[] {
    if (this.#done.has(key)) return [];
    this.#done.add(key);
    if (asText(item.id) !== '') this.#doneIds.add(asText(item.id));
    this.#startItem({ item: key, content: key }, item);
    if (item.type === 'message') {
      return asObjects(item.content).flatMap((part, at) => this.#endContent({ item: key, content: `${key}.${at}` }, part));
    }
    if (item.type === 'reasoning') this.#endThought(key, item);
    else if (isPlainCall(item)) {
      this.#fill(key, asText(item.arguments) || noArguments);
      this.sequence.end(key);
    } else {
      const part = decodeItem(item);
      this.uses.add(item);
      this.kinds.add(kindOf(part));
      this.sequence.whole(key, part);
    }
    return [];
  }

  #endThought(key: string, item: JsonObject) {
    const { text, signature } = decodeReasoning(item);
    this.#fill(key, text);
    this.sequence.end(key, signature === undefined ? undefined : { signature });
  }

  #takeThought(type: string, { item, content }: Place, body: JsonObject) {
    const section = /^response\.reasoning_(summary_)?(text|part)\.(added|delta|done)$/.exec(type);
    if (section === null) return;
    this.#start(item, { kind: 'reasoning', dialect: dialectName });
    const name = section[1] === undefined ? `content ${content}` : `summary ${asNumber(body.summary_index)}`;
    const sizes = this.#section(item, name);
    const text = section[2] === 'part' ? '' : section[3] === 'delta' ? asText(body.delta) : asText(body.text);
    const size = sizes.get(name) ?? 0;
    if (section[3] === 'done' && size > 0) return;
    sizes.set(name, size + text.length);
    this.sequence.delta(item, text);
  }

  /** Opens a section of a thought, parted from the one before it. */
  #section(item: string, name: string): Map<string, number> {
    const sizes = this.#sections.get(item) ?? new Map<string, number>();
    this.#sections.set(item, sizes);
    if (!sizes.has(name)) {
      if (sizes.size > 0) this.sequence.delta(item, sectionBreak);
      sizes.set(name, 0);
    }
    return sizes;
  }

  complete(items: readonly JsonObject[]): readonly JsonObject[] {
    const logprobs: JsonObject[] = [];
    // Indices of the list and of the events may differ where an upstream leaves items out.
    const isTold = items.length <= this.#done.size;
    for (const [index, item] of items.entries()) {
      if (isTold || this.#doneIds.has(asText(item.id))) continue;
      for (const entry of this.#endItem(String(index), item)) logprobs.push(entry);
    }
    this.sequence.close();
    return logprobs;
  }
}

function placeOf({ output_index, content_index }: JsonObject): Place {
  const item = typeof output_index === 'number' ? String(output_index) : '0';
  return { item, content: `${item}.${typeof content_index === 'number' ? content_index : 0}` };
}

function thoughtHead({ id }: JsonObject): PartHead {
  return { kind: 'reasoning', dialect: dialectName, ...(asText(id) === '' ? {} : { id: asText(id) }) };
}

/** A reader for the items of one stream. */
export function createItemReader(): ItemReader {
  return new Reader();
}
