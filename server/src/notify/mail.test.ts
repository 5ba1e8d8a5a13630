import { afterEach, describe, expect, test, vi } from 'vitest';
import { type SmtpOptions, type SmtpSink, startSmtp } from '../../../e2e/support/stand-ins/smtp.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createMailer, type MailerDeps } from './mail.ts';
import { codeMail, noticeMail, resetMail } from './mail-templates.ts';
import type { MailOptions } from './mail-transport.ts';
import { plainText } from './message.ts';
import { announcementMessage } from './texts.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function sink(options: SmtpOptions = {}): Promise<SmtpSink> {
  const server = await startSmtp(options);
  closing.push(server.close);
  return server;
}

const base: MailOptions = {
  SMTPServer: '127.0.0.1',
  SMTPPort: 0,
  SMTPAccount: '',
  SMTPFrom: 'gate@example.org',
  SMTPToken: '',
  SMTPSSLEnabled: false,
  SystemName: 'Tollgate',
};

function mailer(options: Partial<MailOptions>, deps: Partial<MailerDeps> = {}) {
  const logged: unknown[] = [];
  const log = { warn: (detail: unknown) => void logged.push(detail) };
  const made = createMailer({ clock: new FakeClock(1), log, options: () => ({ ...base, ...options }), ...deps });
  closing.push(made.stop);
  return { ...made, logged };
}

const mail = codeMail('ann@example.org', 'Tollgate', '123456', 10);

describe('the mail server', () => {
  test('gets subject, sender name and the code in a page that names no markup of others', async () => {
    const server = await sink();
    const name = 'A <b>&"B"';
    await mailer({ SMTPPort: server.port, SystemName: name }).send(codeMail('ann@example.org', name, '042137', 10));
    const [received] = server.mails;
    const subject = `${name}邮箱验证邮件 / Verification code`;
    expect(received).toMatchObject({ from: 'gate@example.org', to: ['ann@example.org'], subject });
    expect(received?.html).toContain('>042137</p>');
    expect(received?.html).toContain('10 分钟内有效');
    expect(received?.html).toContain('A &lt;b&gt;&amp;&quot;B&quot;');
    expect(received?.html).not.toContain('<b>');
    expect(received?.raw).toMatch(/^From: .* <gate@example.org>\r$/m);
  });

  test.each([
    ['gate@example.org', 'From: =?UTF-8?B?5pS26LS556uZICJBIiwgQiA8eD4=?= <gate@example.org>', 'gate@example.org', 'example.org'],
    ['Gate <gate@example.org>', 'From: Gate <gate@example.org>', 'gate@example.org', 'example.org'],
    [
      '"站" <gate@例子.测试>',
      'From: =?UTF-8?B?56uZ?= <gate@xn--fsqu00a.xn--0zwm56d>',
      'gate@例子.测试',
      'xn--fsqu00a.xn--0zwm56d',
    ],
  ])('is told of the sender %s in all places alike, in what heads may hold', async (SMTPFrom, head, from, domain) => {
    const server = await sink();
    const SystemName = '收费站 "A", B <x>';
    await mailer({ SMTPPort: server.port, SMTPFrom, SMTPAccount: 'login@other.example', SystemName }).send({
      ...mail,
      id: 'n-1',
    });
    const [{ raw = '', ...received } = { from: '' }] = server.mails;
    expect(received.from).toBe(from);
    const lines = raw.slice(0, raw.indexOf('\r\n\r\n')).split('\r\n');
    expect(lines).toEqual(expect.arrayContaining([head, `Message-ID: <n-1@${domain}>`, 'Auto-Submitted: auto-generated']));
    expect(lines).toContainEqual(expect.stringMatching(/^Date: \w{3}, \d{2} \w{3} \d{4} [\d:]{8} \+0000$/));
    expect(lines.join('')).toMatch(/^[\x20-\x7e\t]+$/);
  });

  test('gets one mail for several receivers, and the account as sender where no other is set', async () => {
    const server = await sink({ user: 'box@example.org', password: 'pw' });
    const options = { SMTPPort: server.port, SMTPFrom: '', SMTPAccount: 'box@example.org', SMTPToken: 'pw' };
    await mailer(options).send({ ...mail, to: 'ann@example.org; bob@example.org;' });
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({
      from: 'box@example.org',
      to: ['ann@example.org', 'bob@example.org'],
      user: 'box@example.org',
    });
  });

  test('is asked by AUTH LOGIN where the account wants it and by AUTH PLAIN otherwise', async () => {
    const [plain, login] = [
      await sink({ user: 'a@example.org', password: 'pw', authMethods: ['PLAIN'] }),
      await sink({ user: 'a@outlook.com', password: 'pw', authMethods: ['LOGIN'] }),
    ];
    await mailer({ SMTPPort: plain.port, SMTPAccount: 'a@example.org', SMTPToken: 'pw' }).send(mail);
    await mailer({ SMTPPort: login.port, SMTPAccount: 'a@outlook.com', SMTPToken: 'pw' }).send(mail);
    expect([plain.mails.length, login.mails.length]).toEqual([1, 1]);
  });

  test('is refused when nobody vouches for its certificate, with TLS from the start and with STARTTLS', async () => {
    const [secure, upgrading] = [await sink({ secure: true }), await sink({ startTls: true })];
    await expect(mailer({ SMTPPort: secure.port, SMTPSSLEnabled: true }).send(mail)).rejects.toThrow('could not be sent');
    await expect(mailer({ SMTPPort: upgrading.port }).send(mail)).rejects.toThrow('could not be sent');
    expect([...secure.mails, ...upgrading.mails]).toEqual([]);
  });

  test('hears no credentials in clear unless it is on this machine', async () => {
    const account = { user: 'a@example.org', password: 'pw' };
    const clear = await sink(account);
    // 0.0.0.0 leads to this machine too, but as any other address would.
    const options = { SMTPServer: '0.0.0.0', SMTPPort: clear.port, SMTPAccount: account.user, SMTPToken: account.password };
    await expect(mailer(options).send(mail)).rejects.toMatchObject({ values: { detail: expect.stringContaining('ETLS') } });
    expect([clear.mails.length, clear.signIns()]).toEqual([0, 0]);
    const open = await sink();
    await mailer({ SMTPServer: '0.0.0.0', SMTPPort: open.port }).send(mail);
    expect(open.mails).toHaveLength(1);
  });

  test('that is not configured is named as such', async () => {
    const refusal = { code: 'mail_not_configured' };
    await expect(mailer({ SMTPServer: '' }).send(mail)).rejects.toMatchObject(refusal);
    await expect(mailer({ SMTPFrom: '' }).send(mail)).rejects.toMatchObject(refusal);
    expect(() => mailer({ SMTPServer: '' }).post(mail)).toThrow(expect.objectContaining(refusal));
  });
});

describe('the queue', () => {
  test('tries again what the server puts off, and whoever asked need not wait for it', async () => {
    const server = await sink();
    server.refuse.times = 2;
    const made = mailer({ SMTPPort: server.port }, { retryDelaysMs: [5, 5] });
    await made.send(mail);
    expect((await server.mail(1)).to).toEqual(['ann@example.org']);
    expect(made.logged).toMatchObject([{ detail: '451 EMESSAGE' }, { detail: '451 EMESSAGE' }]);
  });

  test('gives up after the third try and at once where the server refuses for good', async () => {
    const deliver = vi.fn().mockRejectedValue(Object.assign(new Error('later'), { responseCode: 451 }));
    const made = mailer({}, { deliver, retryDelaysMs: [1, 1] });
    made.post(mail);
    await expect.poll(() => made.logged.length).toBe(3);
    deliver.mockRejectedValue(Object.assign(new Error('no such user ann@example.org'), { responseCode: 550, code: 'EENVELOPE' }));
    await expect(made.send(mail)).rejects.toMatchObject({ code: 'mail_refused', values: { detail: '550 EENVELOPE' } });
    expect(deliver).toHaveBeenCalledTimes(4);
    expect(JSON.stringify(made.logged)).not.toContain('ann');
  });

  test('lets nobody wait longer than ten seconds', async () => {
    vi.useFakeTimers();
    closing.push(() => vi.useRealTimers());
    const made = mailer({}, { deliver: () => new Promise(() => {}) });
    let done = false;
    const sent = made.send(mail).then(() => {
      done = true;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await sent;
  });

  test('is bounded', () => {
    const made = mailer({}, { deliver: () => new Promise(() => {}) });
    for (let count = 0; count < 500; count++) made.post(mail);
    expect(() => made.post(mail)).toThrow(expect.objectContaining({ code: 'mail_crowded' }));
  });
});

test('the link of a reset mail survives as text and as address', () => {
  const link = 'https://gate.example.org/user/reset?email=a%2Bb%40example.org&token=x';
  const { html, text } = resetMail('a+b@example.org', 'Tollgate', link, 15);
  expect(html).toContain(`<a href="${link.replace('&', '&amp;')}">`);
  expect(text).toContain(link);
});

test('an announcement says all that it says, also what looks like a place for a value', () => {
  const content = 'Webhooks name each value as {{value}} from now on';
  const message = announcementMessage({ kind: 'announcement', title: 'Webhooks', content, serverAddress: '' });
  expect(noticeMail('a@example.org', 'id', message).text).toBe(content);
  expect(plainText(message, 2_048)).toContain(content);
});
