import { asNumber, asWord, type JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';

/** How often a picture is asked for; 1 to 8. */
export function pictureCount({ n }: JsonObject): number {
  const count = asNumber(n ?? 1);
  return Number.isInteger(count) ? Math.min(8, Math.max(1, count)) : 1;
}

/** The nearest of some shapes to a size such as `1024x1792`. */
export function aspectRatio({ size }: JsonObject): '1:1' | '9:16' | '16:9' {
  const [width = 1, height = 1] = asWord(size).split('x').map(Number);
  if (width > height) return '16:9';
  return height > width ? '9:16' : '1:1';
}

/** The canonical answer for pictures in base64. `tokens`: what one of them counts for. */
export function pictureList(pictures: readonly unknown[], tokens?: number): JsonObject {
  const data = pictures.filter((each): each is string => typeof each === 'string').map((b64_json) => ({ b64_json }));
  const created = 0;
  if (tokens === undefined) return { created, data };
  const total = tokens * data.length;
  return { created, data, usage: { prompt_tokens: total, completion_tokens: 0, total_tokens: total } };
}

/** Is this an error instead of an answer? */
export function failed(answer: JsonObject): boolean {
  return isObject(answer.error) || (typeof answer.error === 'string' && answer.error !== '');
}
