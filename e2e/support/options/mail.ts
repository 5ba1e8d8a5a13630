import { type Batch, on, once, row } from './scene.ts';

/** The last mail after a test mail was asked for. */
const testMail = once(async ({ root, smtp }) => {
  const { length } = smtp.mails;
  const { body } = await root.raw('POST', '/api/option/test_mail', { to: 'ann@example.org' });
  return { ok: body.success, mail: body.success ? await smtp.mail(length + 1) : undefined };
});

const settings = [
  row('SMTPServer', '127.0.0.1', async (sight) => (await testMail(sight)).mail?.to, ['ann@example.org']),
  row(
    'SMTPPort',
    ({ smtp }) => String(smtp.port),
    async (sight) => (await testMail(sight)).ok,
    true,
  ),
  row('SMTPAccount', 'gate@example.org', async (sight) => (await testMail(sight)).mail?.user, 'gate@example.org'),
  row('SMTPFrom', 'hello@example.org', async (sight) => (await testMail(sight)).mail?.from, 'hello@example.org'),
  row('SMTPToken', 'mail-password', async (sight) => (await testMail(sight)).ok, true),
];

/** Mail. */
export const mailBatches: readonly Batch[] = [
  { name: 'a mail server', rows: settings },
  {
    name: 'a mail server that does not speak TLS',
    given: Object.fromEntries(settings.map(({ key, to }) => [key, to])),
    rows: [on('SMTPSSLEnabled', async (sight) => (await testMail(sight)).ok, false)],
  },
];
