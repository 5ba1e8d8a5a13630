import { parseJson } from '../../lib/json.ts';

/** Events of one stream that are shown as a list. */
const maxEvents = 2000;

/**
 * A body as a value: JSON, or the events of a stream as a list (those that are no JSON as texts). Undefined for anything
 * else, such as a body whose end was cut off.
 */
export function parsedBody(text: string): unknown {
  if (/^\s*[[{]/.test(text)) return parseJson(text);
  const events = text
    .split(/\r\n|\n|\r/, maxEvents * 4)
    .flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
    .slice(0, maxEvents);
  return events.length === 0 ? undefined : events.map((event) => parseJson(event) ?? event);
}
