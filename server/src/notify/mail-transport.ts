import { domainToASCII } from 'node:url';
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

/** The sender; its address is "" while the mail server is not configured. */
export function senderOf({ SMTPServer, SMTPFrom, SMTPAccount, SystemName }: MailOptions): { name: string; address: string } {
  const text = SMTPServer === '' ? '' : SMTPFrom || SMTPAccount;
  // As other products have it, too: `Name <address>`, the name in quotes or not.
  const [, name = '', address = text] = /^"?([^<>"]*?)"?\s*<([^<>\s]+)>$/.exec(text) ?? [];
  return { name: name || SystemName, address };
}

/** TLS from the start or STARTTLS when offered, with the certificate verified (contract 2.5); credentials never leave the machine without it. */
export const deliverBySmtp: Deliver = async (mail, options) => {
  const signsIn = options.SMTPAccount !== '' && options.SMTPToken !== '';
  const isLogin = loginAccounts.test(options.SMTPAccount) || options.SMTPServer === loginServer;
  const from = senderOf(options);
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
      from,
      to: receiversOf(mail.to),
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      // No answering machine talks back.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(mail.id === undefined ? {} : { messageId: `<${mail.id}@${domainOf(from.address)}>` }),
    });
  } finally {
    transport.close();
  }
};

/** As it may stand in a head; mail servers think little of an id of a domain that is not the sender's. */
function domainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'localhost';
}

function receiversOf(to: string): string[] {
  return to
    .split(';')
    .map((address) => address.trim())
    .filter((address) => address !== '');
}
