import { expect } from 'vitest';
import { signIn } from '../console-client.ts';
import { rootPassword } from '../gateway.ts';
import { ask, type Batch, newcomer, off, on, password, row, type Sight } from './scene.ts';

/** Somebody, and what the invitations of that one brought. */
async function inviter(sight: Sight, guests: number) {
  const host = await newcomer(sight);
  const code = await host.call<string>('GET', '/api/user/aff');
  for (let guest = 0; guest < guests; guest++) await newcomer(sight, { aff_code: code });
  return host.call<{ quota: number; waiting_quota: number }>('GET', '/api/user/aff/info');
}

const earned = (guests: number) => async (sight: Sight) => (await inviter(sight, guests)).quota;

async function invited(sight: Sight): Promise<number> {
  const code = await sight.root.call<string>('GET', '/api/user/aff');
  return (await (await newcomer(sight, { aff_code: code })).self()).quota;
}

const register = async (sight: Sight) => (await ask(sight, '/api/user/register', { username: 'refused', password })).message;

const mailTo = (email: string) => async (sight: Sight) => (await ask(sight, `/api/verification?email=${email}`)).message;

const enter = async ({ gateway }: Sight) =>
  signIn(gateway.url, 'root', rootPassword).then(
    () => 'in',
    (error: Error) => error.message,
  );

/** Who may come in, and what they are given. */
export const accountBatches: readonly Batch[] = [
  {
    name: 'gifts',
    rows: [
      row('QuotaForNewUser', '12345', async (sight) => (await (await newcomer(sight)).self()).quota, 12_345),
      row('QuotaForInvitee', '500', invited, 12_845),
      row('QuotaForInviter', '1000', earned(1), 1000),
    ],
  },
  {
    name: 'rewards once a day',
    given: { QuotaForInviter: '1000' },
    rows: [row('InviteDailyCap', '1', earned(2), 1000)],
  },
  {
    name: 'rewards that wait',
    given: { QuotaForInviter: '1000' },
    rows: [row('InviteHold', 'days', (sight) => inviter(sight, 1), expect.objectContaining({ quota: 0, waiting_quota: 1000 }))],
  },
  {
    name: 'guests from the same address',
    given: { QuotaForInviter: '1000' },
    rows: [off('InviteSameIpRewarded', earned(1), 0)],
  },
  {
    name: 'doors that are closed',
    rows: [
      off('PasswordLoginEnabled', enter, 'sign-in failed: 管理员关闭了密码登录'),
      off('RegisterEnabled', register, '管理员关闭了新用户注册'),
    ],
  },
  {
    name: 'registration by others only',
    rows: [off('PasswordRegisterEnabled', register, '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册')],
  },
  {
    name: 'registration by mail',
    rows: [on('EmailVerificationEnabled', register, '管理员开启了邮箱验证，请输入邮箱地址和验证码')],
  },
  {
    name: 'mail addresses',
    rows: [
      row(
        'EmailDomainWhitelist',
        'ok.example',
        mailTo('a@gmail.com'),
        '管理员已启用邮箱域名白名单，您的邮箱地址不在允许范围内。',
      ),
      on('EmailDomainRestrictionEnabled', mailTo('a@bad.example'), '管理员已启用邮箱域名白名单，您的邮箱地址不在允许范围内。'),
      on(
        'EmailAliasRestrictionEnabled',
        mailTo('a.b@ok.example'),
        '管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝。',
      ),
    ],
  },
];
