import type { Unfolding } from '../chat/dialect.ts';
import type { JsonObject } from '../json.ts';
import { unfoldChoices } from '../openai-chat/unfold.ts';

/** A whole answer as the stream that says the same: its choices look alike in both. */
export function unfold(body: JsonObject, unfolding: Unfolding): Buffer {
  return unfoldChoices(body, 'text_completion', unfolding, (choice, index) => [{ index, ...choice }]);
}
