/** What a model field means: a part of names; with `%` a pattern; after `=` one whole name. */
export function modelPattern(text: string | undefined): string | undefined {
  if (!text || text.includes('%')) return text;
  return text.startsWith('=') ? text.slice(1) : `%${text}%`;
}

/** The text for exactly one model. */
export const exactModel = (name: string): string => `=${name}`;
