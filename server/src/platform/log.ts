import pino, { type DestinationStream, type Logger } from 'pino';

export type Log = Pick<Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug'>;

const secretFields = ['authorization', 'cookie', 'password', 'key', 'token', 'secret', 'x-api-key', 'api-key'];
/** Fields that never reach a log, at the top and one or two levels down. */
const redacted = secretFields.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

/** Structured logs on standard output, one JSON object a line. */
export function createLog(level: string): Log {
  return pino({ level, base: undefined, redact: { paths: redacted, censor: '[redacted]' } }, standardOutput());
}

/** What waits to be written where nobody takes it; what comes then is lost. */
const mostWaiting = 4 << 20;

/** Whoever serves goes on without its log where that cannot be written (a full disk, a closed terminal), and logs again when it can. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: false, maxLength: mostWaiting });
  let isFailing = false;
  output.on('error', () => {
    isFailing = true;
  });
  output.on('write', () => {
    isFailing = false;
  });
  const flushSync = output.flushSync.bind(output);
  // At the end of the process it would try for ever.
  output.flushSync = () => isFailing || flushSync();
  return output;
}

const secretText = /\b(sk-|Bearer\s+|eyJ)[A-Za-z0-9._~+/=-]{6,}/g;

/** Removes what looks like a credential from text of unknown origin, and the given secret wherever it stands. */
export function redactText(text: string, secret = ''): string {
  const masked = text.replaceAll(secretText, '$1***');
  return secret.length >= 8 ? masked.replaceAll(secret, '***') : masked;
}
