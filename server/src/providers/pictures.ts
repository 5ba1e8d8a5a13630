import { asNumber, type JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';

/** How many pictures are asked for, of which the family's surface has checked that it is a number of pictures. */
export function pictureCount({ n }: JsonObject): number {
  return asNumber(n ?? 1) || 1;
}

/** Why an upstream that makes so many pictures at most is not asked; undefined = it is. */
export function tooManyPictures(body: JsonObject, most: number): string | undefined {
  return pictureCount(body) > most ? `n: this model makes at most ${most} at a time` : undefined;
}

/** The size that is asked for; undefined = the model chooses, which the API calls `auto`. */
export function sizeAsked({ size }: JsonObject): string | undefined {
  return typeof size === 'string' && size !== '' && size !== 'auto' ? size : undefined;
}

/** The nearest of some shapes to a size such as `1024x1792`; a square where none is asked for. */
export function aspectRatio(body: JsonObject): '1:1' | '9:16' | '16:9' {
  const [width = 1, height = 1] = (sizeAsked(body) ?? '1x1').split('x').map(Number);
  if (width > height) return '16:9';
  return height > width ? '9:16' : '1:1';
}

/** The canonical usage of pictures: the family has names of its own. `drawn`: of `output`, what is no text. */
export function pictureUsage(input: number, output: number, drawn: number): JsonObject {
  return {
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { text_tokens: input, image_tokens: 0 },
      output_tokens_details: { text_tokens: Math.max(0, output - drawn), image_tokens: drawn },
    },
  };
}

/** The canonical answer for pictures in base64. `tokens`: what one of them counts for. */
export function pictureList(pictures: readonly unknown[], tokens?: number): JsonObject {
  const data = pictures.filter((each): each is string => typeof each === 'string').map((b64_json) => ({ b64_json }));
  return { created: 0, data, ...(tokens === undefined ? {} : pictureUsage(tokens * data.length, 0, 0)) };
}

/** Is this an error instead of an answer? */
export function failed(answer: JsonObject): boolean {
  return isObject(answer.error) || (typeof answer.error === 'string' && answer.error !== '');
}
