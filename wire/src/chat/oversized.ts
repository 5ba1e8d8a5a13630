import { parseObject } from '../json.ts';

/** Events of one stream. */
export const maxStreamEvents = 500_000;
/** Of a stream: larger ones are looked at before they are read item by item. */
const largeFrame = 64 * 1024;
/** What an answer may hold of choices, parts, calls, ... all together. */
const maxItems = 10_000;
const maxDepth = 8;
/** Members whose lists are data: probabilities, sources, what a function is called with. */
const data: ReadonlySet<string> = new Set([
  ...['logprobs', 'logprobsResult', 'logprobs_result', 'annotations', 'citations', 'citationMetadata', 'groundingMetadata'],
  ...['input', 'args', 'arguments', 'results'],
]);

/** What is smaller cannot hold so many. */
const fewestBytes = 2 * maxItems;

/** Does it hold more than any model says? Reading it item by item would keep everybody else waiting. */
export function isOversized(answer: unknown, bytes: number): boolean {
  return bytes > fewestBytes && count(answer, 0, 0) > maxItems;
}

/** The same of what one frame of a stream says. */
export function isTooMuch(data: string | undefined, frameBytes: number): boolean {
  return data !== undefined && frameBytes > largeFrame && isOversized(parseObject(data), frameBytes);
}

function count(value: unknown, before: number, depth: number): number {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return before;
  let sum = before;
  if (Array.isArray(value)) {
    sum += value.length;
    for (let k = 0; k < value.length && sum <= maxItems; k += 1) sum = count(value[k], sum, depth + 1);
    return sum;
  }
  for (const [key, member] of Object.entries(value)) {
    if (sum > maxItems) return sum;
    if (!data.has(key)) sum = count(member, sum, depth + 1);
  }
  return sum;
}
