import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and body as they came over the wire. */
  raw: string;
  subject: string;
  /** The HTML part, decoded. */
  html: string;
  encrypted: boolean;
  user: string;
}

export interface SmtpOptions {
  user?: string;
  password?: string;
  authMethods?: string[];
  /** TLS from the start, with the server's own certificate that nobody vouches for. */
  secure?: boolean;
  /** Offers STARTTLS with that certificate. */
  startTls?: boolean;
}

export interface SmtpSink {
  port: number;
  mails: ReceivedMail[];
  /** Refuses so many of the next mails with this code. */
  refuse: { times: number; code: number };
  /** How many times credentials were shown to it. */
  signIns(): number;
  /** Resolves with the mail that arrives as number `count` (from 1). */
  mail(count: number): Promise<ReceivedMail>;
  close(): Promise<void>;
}

const waitMs = 10_000;

/** The library's own greets a tenth of a second late, to notice who talks before it is greeted: each mail would wait for that. */
SMTPConnection.prototype.init = function init(this: SMTPConnection) {
  this._setListeners(() => this.connectionReady());
};

/** A mail server on loopback that keeps what it gets. */
export async function startSmtp(options: SmtpOptions = {}): Promise<SmtpSink> {
  const mails: ReceivedMail[] = [];
  const waiting: { count: number; resolve(mail: ReceivedMail): void }[] = [];
  const refuse = { times: 0, code: 451 };
  let signIns = 0;
  const server = new SMTPServer({
    secure: options.secure ?? false,
    authOptional: options.user === undefined,
    authMethods: options.authMethods ?? ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    // No name server is asked who 127.0.0.1 is.
    disableReverseLookup: true,
    disabledCommands: options.secure || options.startTls ? [] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      signIns++;
      const isRight = username === options.user && password === options.password;
      done(isRight ? null : new Error('wrong credentials'), isRight ? { user: username ?? '' } : undefined);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refuse.times > 0) {
          refuse.times--;
          return done(Object.assign(new Error('not now'), { responseCode: refuse.code }));
        }
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString('utf8');
        const mail = {
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
          subject: decodeWords(/^Subject: ((?:.|\r\n[ \t])*)/im.exec(raw)?.[1] ?? ''),
          html: htmlPart(raw),
          encrypted: session.secure,
          user: String(session.user ?? ''),
        };
        mails.push(mail);
        for (const each of waiting.filter(({ count }) => count === mails.length)) each.resolve(mail);
        return done();
      });
    },
  });
  // Clients that refuse the certificate hang up; that is theirs to report.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refuse,
    signIns: () => signIns,
    mail(count) {
      const there = mails[count - 1];
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`mail ${count} did not come; ${mails.length} did`)), waitMs);
        const settle = (mail: ReceivedMail) => {
          clearTimeout(timer);
          resolve(mail);
        };
        waiting.push({ count, resolve: settle });
      });
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function htmlPart(raw: string): string {
  const start = raw.search(/Content-Type: text\/html/i);
  const end = raw.indexOf('\r\n--', start);
  const part = start < 0 ? '' : raw.slice(start, end < 0 ? undefined : end);
  const split = part.indexOf('\r\n\r\n');
  const [head, body] = [part.slice(0, split), part.slice(split + 4)];
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  return /quoted-printable/i.test(head) ? decodeQuoted(body) : body;
}

function decodeQuoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, content: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(content, 'base64').toString('utf8') : decodeQuoted(content.replaceAll('_', ' ')),
    );
}
