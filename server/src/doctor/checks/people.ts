import { checksOf, fail, few, warn, when } from '../check.ts';

export const peopleChecks = checksOf('people', {
  default_password: {
    title: ['默认密码', 'Default password'],
    means: ['默认密码人人都知道，能连到内网的人就能登录。', 'Everybody knows it; who is in your network can sign in.'],
    fix: [
      '登录后修改，或运行 npx tollgate user reset-password root。',
      'Change it, or run npx tollgate user reset-password root.',
    ],
    judge: ({ defaultPasswords: list }) => when(list.length > 0, fail(`仍在使用：${few(list)}。`, `Still has it: ${few(list)}.`)),
  },
  second_factor: {
    title: ['管理员的两步验证', 'Second factor of administrators'],
    means: ['密码一旦泄露，整个网关就交了出去。', 'A leaked password gives the whole gateway away.'],
    fix: [
      '在「设置 → 个人设置」里开启两步验证或添加通行密钥。',
      'Set up two-factor sign-in or a passkey under Settings > Personal.',
    ],
    judge: ({ adminsWithoutSecondFactor: list }) =>
      when(list.length > 0, warn(`没有的：${few(list)}。`, `Without: ${few(list)}.`)),
  },
  boundless_tokens: {
    title: ['管理员的无限令牌', 'Boundless tokens of administrators'],
    means: [
      '永不过期、不限额度、不限模型和 IP 的令牌泄露后，损失没有上限。',
      'Never ending, without limit of quota, model or address: once leaked, the loss has no end.',
    ],
    fix: ['给令牌设置过期时间、额度、模型或 IP 名单。', 'Give them an end, a quota, models or addresses on the page Tokens.'],
    judge: ({ boundlessAdminTokens: list }) => when(list.length > 0, warn(`令牌：${few(list)}。`, `Tokens: ${few(list)}.`)),
  },
  root_active: {
    title: ['可用的超级管理员', 'Active root'],
    means: ['没有启用的超级管理员，系统设置谁也改不了。', 'Without an enabled root nobody can change settings.'],
    fix: ['从备份恢复 root 用户。', 'Restore the root account from a backup.'],
    judge: ({ activeRoots }) => when(activeRoots === 0, fail('没有。', 'There is none.')),
  },
  user_groups: {
    title: ['用户的分组', 'Groups of users'],
    means: [
      '这些用户的分组没有倍率：他们的调用按倍率 1 计费，令牌也选不到该分组。',
      'These groups have no ratio: their users pay ratio 1, and no token can name the group.',
    ],
    fix: [
      '在「设置 → 运营设置」的分组倍率里加上，或修改用户。',
      'Add them under Settings > Operation > Group ratio, or edit the users.',
    ],
    judge: ({ unknownGroups: list }) => when(list.length > 0, warn(`分组：${few(list)}。`, `Groups: ${few(list)}.`)),
  },
  root_reachable: {
    title: ['告警能送达', 'Alerts reach root'],
    means: ['渠道被禁用、账本出错时，没有任何方式通知你。', 'Nothing can tell you when channels go down or the ledger differs.'],
    fix: [
      '在「设置 → 个人设置」里填写邮箱或其他通知方式；邮件还需要「设置 → 系统设置」里的邮件服务器。',
      'Enter a mail address or another way under Settings > Personal; mail wants Settings > System > Mail server, too.',
    ],
    judge: ({ deafRoots: list }) => when(list.length > 0, warn(`收不到：${few(list)}。`, `Nothing reaches ${few(list)}.`)),
  },
  registration_gift: {
    title: ['注册送额度', 'Quota for whoever registers'],
    means: [
      '开放注册、赠送额度又不验证，会被机器人批量领取。',
      'Open, with a gift and without a check, it is emptied by robots.',
    ],
    fix: [
      '开启邮箱验证或 Turnstile，或把 QuotaForNewUser 设为 0。',
      'Ask for a mail code or Turnstile, or set QuotaForNewUser to 0.',
    ],
    judge: ({ registration: { isOpen, gift, isChecked } }) =>
      when(isOpen && gift > 0 && !isChecked, warn(`每人 ${gift}，没有验证。`, `${gift} each, and nothing is checked.`)),
  },
});
