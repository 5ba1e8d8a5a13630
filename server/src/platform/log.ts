import pino, { type Logger } from 'pino';

export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'>;

const secretFields = ['authorization', 'cookie', 'password', 'key', 'token', 'secret', 'x-api-key', 'api-key'];
/** Fields that never reach a log, at the top and one or two levels down. */
const redacted = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** Structured logs on standard output, one JSON object a line. */
export function createLog(level: string): Log {
  return pino({ level, base: undefined, redact: { paths: redacted, censor: '[redacted]' } });
}

const secretText = /\b(sk-|Bearer\s+|eyJ)[A-Za-z0-9._~+/=-]{6,}/g;

/** Removes what looks like a credential from text of unknown origin, and the given secret wherever it stands. */
export function redactText(text: string, secret = ''): string {
  const masked = text.replaceAll(secretText, '$1***');
  return secret.length >= 8 ? masked.replaceAll(secret, '***') : masked;
}
