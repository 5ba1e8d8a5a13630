import { type ErrorCode, errors, logType } from '@tollgate/contract';
import type { Language } from '../../platform/errors.ts';

interface Told {
  readonly shape: RegExp;
  readonly english: string;
}

/** The texts of the registry that differ in the two languages, by the code that rows of the log keep. */
const byCode = new Map<string, Told[]>();
for (const [name, entry] of Object.entries(errors) as [ErrorCode, { status: number; code?: string; zh: string; en: string }][]) {
  // What is but a reason in both says nothing in a language of ours.
  if (entry.zh === entry.en) continue;
  const told = { shape: shapeOf(entry.zh), english: entry.en };
  // Errors without a code are kept by their status.
  for (const code of [entry.code ?? name, String(entry.status)]) byCode.set(code, [...(byCode.get(code) ?? []), told]);
}

function shapeOf(text: string): RegExp {
  const seen = new Set<string>();
  const parts = text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
    if (seen.has(part)) return `\\k<${part}>`;
    seen.add(part);
    return `(?<${part}>.*)`;
  });
  return new RegExp(`^${parts.join('')}$`, 's');
}

interface Row {
  readonly type: number;
  readonly content: string;
  readonly other: string;
}

/**
 * Rows with our own errors in the reader's language: they are kept as the caller was told them. What an upstream said stays as it is,
 * and so does everything for readers of Chinese.
 */
export function toldIn<R extends Row>(language: Language, rows: readonly R[]): R[] {
  return rows.map((row) => (language === 'en' && row.type === logType.error ? { ...row, content: inEnglish(row) } : row));
}

function inEnglish({ content, other }: Row): string {
  const [, code = '', status = ''] = /^\{"error_code":"(\w*)","status":(\d+)/.exec(other) ?? [];
  for (const { shape, english } of byCode.get(code || status) ?? []) {
    const match = shape.exec(content);
    if (match) return english.replaceAll(/\{(\w+)\}/g, (whole, name: string) => match.groups?.[name] ?? whole);
  }
  return content;
}
