import type { Finding } from '../finding.ts';

/**
 * Refuses an error of the contract with a text in one language only, or with other parameters in the other. Texts of the
 * console are looked at where their functions are made.
 */
export function checkErrorTexts(path: string, errors: Readonly<Record<string, { zh?: unknown; en?: unknown }>>): Finding[] {
  const refuse = (message: string): Finding[] => [{ path, line: 0, message }];
  return Object.entries(errors).flatMap(([code, { zh, en }]) => {
    if (!isText(zh)) return refuse(`"${code}" has no Chinese text`);
    if (!isText(en)) return refuse(`"${code}" has no English text`);
    if (parameters(zh) === parameters(en)) return [];
    return refuse(`"${code}" uses ${parameters(en) || 'no parameters'}, the Chinese text ${parameters(zh) || 'none'}`);
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function parameters(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[0]))].sort().join(' ');
}
