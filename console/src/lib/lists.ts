/** Comma lists and line lists, trimmed, without blanks and repeats, in order of first appearance. */

const unique = (items: string[]): string[] => [...new Set(items.map((item) => item.trim()).filter((item) => item !== ''))];

export const splitList = (text: string): string[] => unique(text.split(/[,，\n]/));
export const splitLines = (text: string): string[] => unique(text.split(/\r?\n/));
export const joinList = (items: readonly string[]): string => items.join(',');
