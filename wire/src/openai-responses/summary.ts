import type { ForeignPart, Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { asObjects, asText, type JsonObject } from '../json.ts';
import { holdsText } from '../json-text.ts';
import { compactionItem, compactionTrigger, dialectName } from './types.ts';

/**
 * A conversation in short where the upstream has no word for it: its model writes a summary, which travels to the caller in
 * the item that stands for all that was said before, and is a text again when it is brought back.
 */
const mark = 'foreign.summary.';

const wish = `Write a summary of the conversation above, for somebody who carries it on and can read nothing of it but the summary. Tell what the user wants and has said about how, what was done and found out, with the names, paths, numbers and exact words that matter, what was decided and why, and what is still to be done. Answer with the summary alone, and call no tools.`;
const heading = 'The conversation before this message was made shorter. This is a summary of it:';

/** Does a body bring such an item back? No upstream could read it. */
export function holdsSummary(body: Buffer): boolean {
  return holdsText(body, `"${mark}`);
}

/** The summary in an item, as it is said to a model; undefined = there is none that is readable here. */
export function summaryIn(item: JsonObject): string | undefined {
  const content = asText(item.encrypted_content);
  return item.type === compactionItem && content.startsWith(mark) ? `${heading}\n\n${content.slice(mark.length)}` : undefined;
}

/** The item that stands for a conversation. */
export function summaryPart(summary: string, id: string): ForeignPart {
  return foreign({ type: compactionItem, id: `cmp_${id}`, encrypted_content: mark + summary });
}

/** The messages of the user in an `input`, which stay beside the summary. */
export function saidByUser(input: unknown): ForeignPart[] {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : asObjects(input);
  return items.flatMap(({ role, content, ...item }) => {
    if (role !== 'user') return [];
    const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
    return [foreign({ ...item, type: 'message', role, content: parts })];
  });
}

function foreign(raw: JsonObject): ForeignPart {
  return { kind: 'foreign', dialect: dialectName, name: asText(raw.type), raw };
}

/** Does a conversation end with the wish to have it back in short? */
export function asksToShorten(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(isTrigger));
}

/** The request for a summary of what is said in a request. */
export function summaryRequest({ output: _, logprobs: __, allowedTools: ___, ...request }: ChatRequest): ChatRequest {
  const said = request.messages
    .map((message) => ({ ...message, parts: message.parts.filter((part) => !isTrigger(part)) }))
    .filter(({ parts }) => parts.length > 0);
  const messages: Message[] = [...said, { role: 'user', parts: [{ kind: 'text', text: wish }] }];
  // Tools stay: some vendors refuse a conversation in which tools were called that are not offered.
  const choice = request.tools.length === 0 ? {} : { toolChoice: 'none' as const };
  return { ...request, ...choice, messages, stop: [], choices: 1 };
}

function isTrigger(part: Part): boolean {
  return part.kind === 'foreign' && part.dialect === dialectName && part.name === compactionTrigger;
}
