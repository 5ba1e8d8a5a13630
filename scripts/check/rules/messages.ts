import type { Finding } from '../finding.ts';

export type Messages = Readonly<Record<string, unknown>>;

/** Refuses keys that stand in one language only, empty texts and parameters that differ. */
export function checkMessages(pathOf: (language: 'zh' | 'en') => string, zh: Messages, en: Messages): Finding[] {
  const refuse = (language: 'zh' | 'en', message: string): Finding => ({ path: pathOf(language), line: 0, message });
  return [...new Set([...Object.keys(zh), ...Object.keys(en)])].sort().flatMap((key) => {
    const [chinese, english] = [zh[key], en[key]];
    if (!isText(chinese)) return [refuse('zh', `"${key}" has no Chinese text`)];
    if (!isText(english)) return [refuse('en', `"${key}" has no English text`)];
    if (parameters(chinese) === parameters(english)) return [];
    return [
      refuse('en', `"${key}" uses ${parameters(english) || 'no parameters'}, the Chinese text ${parameters(chinese) || 'none'}`),
    ];
  });
}

/** The same for the contract's errors: code -> both texts. */
export function checkErrorTexts(path: string, errors: Readonly<Record<string, { zh?: unknown; en?: unknown }>>): Finding[] {
  const of = (language: 'zh' | 'en'): Messages =>
    Object.fromEntries(Object.entries(errors).map(([code, entry]) => [code, entry[language]]));
  return checkMessages(() => path, withoutAbsent(of('zh')), withoutAbsent(of('en')));
}

function withoutAbsent(messages: Messages): Messages {
  return Object.fromEntries(Object.entries(messages).filter(([, text]) => text !== undefined));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function parameters(text: string): string {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[0]))].sort().join(' ');
}
