/**
 * The generateContent dialect as far as the gateway touches it; unknown members pass through untouched.
 * Source: the public API reference of models.generateContent and models.streamGenerateContent (v1beta).
 */

export const dialectName = 'gemini-generate';

/** Accepted in place of the signature that newer models demand with a call they did not make themselves. */
export const unsignedCall = 'skip_thought_signature_validator';

/** From the third generation on: levels instead of budgets, signed calls, media inside of function responses. */
export function isThirdGeneration(model: string): boolean {
  return /(^|[/-])gemini-([3-9]|\d\d|pro-latest$|flash-latest$|flash-lite-latest$)(\D|$)/.test(model);
}
