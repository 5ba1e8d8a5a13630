import type { Log } from '../src/platform/log.ts';

export interface CapturedLog extends Log {
  /** What was written, oldest first; `text` is the whole line. */
  readonly lines: readonly { readonly level: string; readonly text: string }[];
}

/** A log that only remembers. */
export function captureLog(): CapturedLog {
  const lines: { level: string; text: string }[] = [];
  const at = (level: string) => (fields: unknown, message?: string) =>
    void lines.push({ level, text: `${message ?? ''} ${JSON.stringify(fields, errorsAsText)}` });
  return { lines, fatal: at('fatal'), error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') } as CapturedLog;
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
