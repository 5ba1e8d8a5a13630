import { type Envelope, type ErrorCode, errors, errorText } from '@tollgate/contract';

export type Language = 'zh' | 'en';

/** What a caller's Accept-Language asks for. */
export function languageOf(acceptLanguage: string | undefined): Language {
  return /^en\b/i.test(acceptLanguage ?? '') ? 'en' : 'zh';
}

/** A refusal whose text may be shown to the caller. Anything else that is thrown stays private. */
export class PublicError extends Error {
  readonly code: ErrorCode;
  readonly values: Readonly<Record<string, string | number>>;
  /** Becomes the header Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, values: Record<string, string | number> = {}, retryAfterSeconds?: number) {
    super(errorText(code, values, 'en'));
    this.name = 'PublicError';
    this.code = code;
    this.values = values;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * What a caller may learn of a thrown value: a PublicError as it is, an error that carries a registered `code` by that
 * code, undefined for everything else (a defect or an outage, to be logged and answered as internal_error).
 */
export function publicError(thrown: unknown): PublicError | undefined {
  if (thrown instanceof PublicError) return thrown;
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = thrown.code;
  return typeof code === 'string' && isErrorCode(code) ? new PublicError(code) : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** Status and console envelope of an error. */
export function errorAnswer(error: PublicError, language: Language): { status: number; body: Envelope } {
  const message = errorText(error.code, { ...error.values }, language);
  return { status: errors[error.code].status, body: { success: false, message } };
}
