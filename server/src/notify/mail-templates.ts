import type { Mail } from './mail-transport.ts';
import { fill, inBoth, type Message } from './message.ts';

interface MailText {
  to: string;
  subject: string;
  /** Plain sentences in Chinese and English; a line that is a link or a code stands alone. */
  zh: readonly string[];
  en: readonly string[];
  /** The code, shown large. */
  code?: string;
  link?: string;
}

/** The code that proves an address. */
export function codeMail(to: string, systemName: string, code: string, minutes: number): Mail {
  return render({
    to,
    subject: `${systemName}邮箱验证邮件 / Verification code`,
    code,
    zh: [`您好，您正在进行 ${systemName} 邮箱验证。`, `验证码 ${minutes} 分钟内有效，如果不是本人操作，请忽略。`],
    en: [`Your ${systemName} code is valid for ${minutes} minutes.`, 'If you did not ask for it, ignore this mail.'],
  });
}

/** Goes out instead of a code where the address has an account, so that the answer tells nobody. `isGone`: that was deregistered. */
export function takenMail(to: string, systemName: string, isGone: boolean): Mail {
  const zh = isGone
    ? `该邮箱绑定的 ${systemName} 账户已注销，请使用其他邮箱；`
    : `该邮箱已绑定 ${systemName} 账户，可直接登录或重置密码；`;
  return render({
    to,
    subject: `${systemName}邮箱验证邮件 / Verification code`,
    zh: ['邮箱地址已被占用。', `${zh}如果不是本人操作，请忽略。`],
    en: [
      `This address already belongs to an account of ${systemName}${isGone ? ' that was deregistered' : ''}.`,
      `${isGone ? 'Use another address' : 'Sign in or reset the password'}; if you did not ask, ignore this mail.`,
    ],
  });
}

/** Goes to the address that an account had until now: whoever holds a session of somebody else's could take the account with it. */
export function movedMail(to: string, systemName: string): Mail {
  return render({
    to,
    subject: `${systemName}邮箱变更通知 / Mail address changed`,
    zh: [
      `您的 ${systemName} 账户已绑定另一个邮箱，此邮箱不再能登录或重置密码。`,
      '如果不是本人操作，请立即修改密码并联系管理员。',
    ],
    en: [
      `Your ${systemName} account has another mail address now; this one can no longer sign in or reset the password.`,
      'If that was not you, change the password at once and tell the administrator.',
    ],
  });
}

/** The link that resets the password. */
export function resetMail(to: string, systemName: string, link: string, minutes: number): Mail {
  return render({
    to,
    subject: `${systemName}密码重置 / Password reset`,
    link,
    zh: [`您好，您正在进行 ${systemName} 密码重置。`, `链接 ${minutes} 分钟内有效，如果不是本人操作，请忽略。`],
    en: [
      `Open the link to reset your ${systemName} password; it is valid for ${minutes} minutes.`,
      'If you did not ask for it, ignore this mail.',
    ],
  });
}

/** Shows an operator that the mail settings work. */
export function testMail(to: string, systemName: string): Mail {
  return render({
    to,
    subject: `${systemName}测试邮件 / Test mail`,
    zh: [`这是一封来自 ${systemName} 的测试邮件，收到它说明邮件服务器配置正确。`],
    en: [`This is a test mail from ${systemName}: the mail settings work.`],
  });
}

/** A notification; text that is the same in both languages stands once. */
export function noticeMail(to: string, id: string, { title, content, values, link }: Message): Mail {
  const lines = ({ zh, en }: Message['content']) => ({
    zh: fill(zh, values).split('\n'),
    en: en === zh ? [] : fill(en, values).split('\n'),
  });
  return { ...render({ to, subject: inBoth(title).join(' / '), ...(link === '' ? {} : { link }), ...lines(content) }), id };
}

function render({ to, subject, zh, en, code, link }: MailText): Mail {
  const safeLink = escapeHtml(link ?? '');
  const large = '<p style="font-size:28px;letter-spacing:4px;font-weight:bold;margin:16px 0">';
  const parts = [
    ...zh.map(paragraph),
    ...(code === undefined ? [] : [`${large}${escapeHtml(code)}</p>`]),
    ...(link === undefined ? [] : [`<p style="margin:16px 0"><a href="${safeLink}">${safeLink}</a></p>`]),
    ...en.map(paragraph),
  ];
  const html = `<!doctype html><html><body style="font-family:sans-serif;font-size:15px;color:#1c1f23">${parts.join('')}</body></html>`;
  const text = [...zh, code ?? link ?? '', ...en].filter((line) => line !== '').join('\n\n');
  return { to, subject: subject.replaceAll(/[\r\n]+/g, ' '), html, text };
}

function paragraph(text: string): string {
  return `<p style="margin:8px 0">${escapeHtml(text)}</p>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
