import type { Options } from '../settings/index.ts';

export interface Mail {
  /** One address, or several separated by `;`. */
  to: string;
  subject: string;
  html: string;
  text: string;
  /** Stays the same when the mail is sent again, so that mailboxes show it once; absent = a new one each time. */
  id?: string;
}

export type MailOptions = Pick<
  Options,
  'SMTPServer' | 'SMTPPort' | 'SMTPAccount' | 'SMTPFrom' | 'SMTPToken' | 'SMTPSSLEnabled' | 'SystemName'
>;

/** Hands one mail to the mail server. Rejects with what the server or the network said. */
export type Deliver = (mail: Mail, options: MailOptions) => Promise<void>;

const tlsPort = 465;
const connectTimeoutMs = 5_000;
const socketTimeoutMs = 8_000;
const loginAccounts = /outlook|onmicrosoft/i;
const loginServer = 'smtp.azurecomm.net';
const ownMachine = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** The sender's address; "" while the mail server is not configured. */
export function senderOf({ SMTPServer, SMTPFrom, SMTPAccount }: MailOptions): string {
  return SMTPServer === '' ? '' : SMTPFrom || SMTPAccount;
}

/** TLS from the start or STARTTLS when offered, with the certificate verified (contract 2.5); credentials never leave the machine without it. */
export const deliverBySmtp: Deliver = async (mail, options) => {
  const signsIn = options.SMTPAccount !== '' && options.SMTPToken !== '';
  const isLogin = loginAccounts.test(options.SMTPAccount) || options.SMTPServer === loginServer;
  // Loaded with the first mail, not at every start.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: options.SMTPServer,
    port: options.SMTPPort,
    secure: options.SMTPPort === tlsPort || options.SMTPSSLEnabled,
    // Who sits on the way can take the offer of STARTTLS out of the greeting.
    requireTLS: signsIn && !ownMachine.test(options.SMTPServer),
    ...(signsIn ? { auth: { user: options.SMTPAccount, pass: options.SMTPToken }, authMethod: isLogin ? 'LOGIN' : 'PLAIN' } : {}),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    dnsTimeout: connectTimeoutMs,
    socketTimeout: socketTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: { name: options.SystemName, address: senderOf(options) },
      to: receiversOf(mail.to),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      ...(mail.id === undefined ? {} : { messageId: `<${mail.id}@${senderOf(options).split('@')[1] ?? 'localhost'}>` }),
    });
  } finally {
    transport.close();
  }
};

function receiversOf(to: string): string[] {
  return to
    .split(';')
    .map((address) => address.trim())
    .filter((address) => address !== '');
}
