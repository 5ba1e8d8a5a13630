import { isRegistrationOpen, type Options } from '../../settings/index.ts';
import { checksOf, fail, few, warn, when } from '../check.ts';
import type { SettingFacts } from '../facts/settings.ts';
import { isNearby } from '../nearby.ts';

const longBodies = 30;

/** Some of what belongs together is there, and some is missing. */
function half(options: Options, keys: readonly (keyof Options)[]): string[] {
  const missing = keys.filter((key) => options[key] === '');
  return missing.length === keys.length ? [] : missing;
}

/** A door that is open and lacks something. */
const door =
  (enabled: keyof Options, needs: readonly (keyof Options)[]) =>
  ({ options }: SettingFacts) => {
    const missing = needs.filter((key) => options[key] === '');
    return when(
      options[enabled] === true && missing.length > 0,
      fail(`已开启，但缺少 ${few(missing)}。`, `It is on and lacks ${few(missing)}.`),
    );
  };

const doorMeans = ['按钮会显示，但点了登录不了。', 'The button is shown, and nobody gets in by it.'] as const;
const doorFix = ['在「设置 → 系统设置」里补全或关闭。', 'Complete it or switch it off under Settings > System.'] as const;
const doorOf = (zh: string, en: string, enabled: keyof Options, needs: readonly (keyof Options)[]) => ({
  title: [`${zh} 登录`, `Sign-in by ${en}`] as const,
  means: doorMeans,
  fix: doorFix,
  judge: door(enabled, needs),
});
const paysByEpay = ({ options }: SettingFacts): boolean =>
  options.PayAddress !== '' && options.EpayId !== '' && options.EpayKey !== '';
const paysByStripe = ({ options }: SettingFacts): boolean => options.StripeApiSecret !== '';

export const settingChecks = checksOf('settings', {
  options_unreadable: {
    title: ['设置的值', 'Stored settings'],
    means: [
      '这些值读不出来：运行中的进程继续用上次读到的值，重启后用不放行任何操作的值。',
      'These cannot be read: what runs keeps the last good value; after a start one counts that opens nothing.',
    ],
    fix: [
      '在「设置」里重新保存；密钥类要用原来的主密钥。',
      'Save them anew under Settings; secrets need the master key they were stored with.',
    ],
    judge: ({ unreadable: list }) => when(list.length > 0, fail(`${few(list)}。`, `${few(list)}.`)),
  },
  webhook_secret: {
    title: ['Stripe 回调密钥', 'Webhook secret of Stripe'],
    means: [
      '没有回调密钥就无法确认付款通知，付款不会到账。',
      'Without it no notice can be believed, and payments are not credited.',
    ],
    fix: ['在「设置 → 系统设置」里填写 StripeWebhookSecret。', 'Enter StripeWebhookSecret under Settings > System.'],
    judge: ({ options }) =>
      when(options.StripeApiSecret !== '' && options.StripeWebhookSecret === '', fail('没有填写。', 'It is missing.')),
  },
  epay: {
    title: ['易支付', 'Epay'],
    means: ['配置不完整，用户无法付款。', 'It is half configured: nobody can pay by it.'],
    fix: ['在「设置 → 系统设置」里补全。', 'Complete it under Settings > System.'],
    judge: ({ options }) => {
      const missing = half(options, ['PayAddress', 'EpayId', 'EpayKey']);
      return when(missing.length > 0, fail(`缺少 ${few(missing)}。`, `Missing: ${few(missing)}.`));
    },
  },
  payment_callback: {
    title: ['支付回调地址', 'Where payments report to'],
    means: ['支付服务找不到我们，付款无法到账。', 'The service cannot find us; payments are not credited.'],
    fix: [
      '在「设置 → 系统设置」填写外网能访问的服务器地址。',
      'Enter an address that can be reached from outside under Settings > System.',
    ],
    judge: (facts) => {
      const { ServerAddress, CustomCallbackAddress } = facts.options;
      const places = [
        ...(paysByStripe(facts) ? [ServerAddress] : []),
        ...(paysByEpay(facts) ? [CustomCallbackAddress || ServerAddress] : []),
      ];
      const wrong = places.filter((place) => place === '' || isNearby(place));
      return when(wrong.length > 0, fail(`地址：${few(wrong) || '空'}。`, `Address: ${few(wrong) || 'none'}.`));
    },
  },
  price_of_quota: {
    title: ['充值价格', 'Price of quota'],
    means: ['价格为 0 时，付款按 0 元计算。', 'At 0 quota is sold for nothing.'],
    fix: ['在「设置 → 系统设置」里填写价格。', 'Enter the price under Settings > System.'],
    judge: (facts) => {
      const { options } = facts;
      const isFree =
        (paysByEpay(facts) && options.Price === 0) ||
        (paysByStripe(facts) && options.StripePriceId === '' && options.StripeUnitPrice === 0);
      return when(isFree, fail('价格是 0。', 'It is 0.'));
    },
  },
  smtp: {
    title: ['邮件服务器', 'Mail server'],
    means: ['配置不完整，邮件发不出去。', 'It is half configured: no mail leaves.'],
    fix: [
      '在「设置 → 系统设置」的邮件服务器里补全并发送测试邮件。',
      'Complete it under Settings > System > Mail server and send a test.',
    ],
    judge: ({ options }) => {
      // A relay may want no sign-in; then mail needs a sender of its own.
      const isRelay = options.SMTPFrom !== '' && options.SMTPAccount === '' && options.SMTPToken === '';
      const missing = isRelay ? [] : half(options, ['SMTPServer', 'SMTPAccount', 'SMTPToken']);
      return when(missing.length > 0, fail(`缺少 ${few(missing)}。`, `Missing: ${few(missing)}.`));
    },
  },
  mail_wanted: {
    title: ['需要邮件的功能', 'What needs mail'],
    means: ['开启了邮箱验证却发不出邮件，没人能注册。', 'Registration asks for a code by mail, and no mail can be sent.'],
    fix: ['配置 SMTP，或关闭邮箱验证。', 'Set up SMTP, or switch the mail check off.'],
    judge: ({ options }) => {
      const isAsked = options.EmailVerificationEnabled && options.PasswordRegisterEnabled && isRegistrationOpen(options);
      return when(isAsked && options.SMTPServer === '', fail('没有邮件服务器。', 'There is no mail server.'));
    },
  },
  no_door: {
    title: ['登录方式', 'Ways to sign in'],
    means: ['一种登录方式也没有，会话过期后谁也进不来。', 'When the sessions end nobody gets in any more.'],
    fix: ['在「设置 → 系统设置」里打开一种。', 'Open one under Settings > System.'],
    judge: ({ options, rootHasPasskey }) => {
      const doors = [
        rootHasPasskey,
        options.PasswordLoginEnabled,
        options.GitHubOAuthEnabled,
        options.LinuxDOOAuthEnabled,
        options['oidc.enabled'],
      ];
      const open = [...doors, options.TelegramOAuthEnabled, options.WeChatAuthEnabled].some(Boolean);
      return when(!open, fail('全部关闭。', 'All are off.'));
    },
  },
  door_github: doorOf('GitHub', 'GitHub', 'GitHubOAuthEnabled', ['GitHubClientId', 'GitHubClientSecret']),
  door_linuxdo: doorOf('Linux DO', 'Linux DO', 'LinuxDOOAuthEnabled', ['LinuxDOClientId', 'LinuxDOClientSecret']),
  door_oidc: doorOf('OIDC', 'OIDC', 'oidc.enabled', ['oidc.client_id', 'oidc.client_secret']),
  door_telegram: doorOf('Telegram', 'Telegram', 'TelegramOAuthEnabled', ['TelegramBotToken', 'TelegramBotName']),
  door_wechat: doorOf('微信', 'WeChat', 'WeChatAuthEnabled', ['WeChatServerAddress', 'WeChatServerToken']),
  turnstile: {
    title: ['Turnstile 校验', 'Turnstile'],
    means: ['校验永远不通过，没人能登录或注册。', 'The check never passes: nobody signs in or registers.'],
    fix: ['在「设置 → 系统设置」补全两个密钥，或关闭。', 'Enter both keys under Settings > System, or switch it off.'],
    judge: door('TurnstileCheckEnabled', ['TurnstileSiteKey', 'TurnstileSecretKey']),
  },
  wxpusher: {
    title: ['WxPusher 通知', 'WxPusher'],
    means: ['开启了却没有令牌，通知发不出去。', 'It is on without a token: nothing is sent by it.'],
    fix: ['在「设置 → 系统设置」里填写 WxPusherAppToken。', 'Enter WxPusherAppToken under Settings > System.'],
    judge: door('WxPusherEnabled', ['WxPusherAppToken']),
  },
  worker_key: {
    title: ['出站 Worker 密钥', 'Key of the outbound worker'],
    means: ['没有密钥的 Worker 谁都能借用，或者会拒绝我们。', 'Without a key anybody may use the worker, or it refuses us.'],
    fix: ['在「设置 → 系统设置」填写 WorkerValidKey。', 'Enter WorkerValidKey under Settings > System.'],
    judge: ({ options }) => when(options.WorkerUrl !== '' && options.WorkerValidKey === '', warn('没有填写。', 'It is missing.')),
  },
  demo_mode: {
    title: ['演示模式', 'Demo mode'],
    means: [
      '演示模式下只有超级管理员能保存修改，也没人能注册。',
      'In demo mode only root can save anything, and nobody can register.',
    ],
    fix: ['在「设置 → 运营设置」里关闭。', 'Switch it off under Settings > Operation.'],
    judge: ({ options }) => when(options.DemoSiteEnabled, warn('已开启。', 'It is on.')),
  },
  body_capture: {
    title: ['保存请求内容', 'Kept bodies of calls'],
    means: ['用户的提问和回答会长期留在数据库里。', 'What users ask and get stays in the database for long.'],
    fix: ['把 LogBodyDays 设为 30 天以内，或 LogBodies 设为 none。', 'Set LogBodyDays to 30 at most, or LogBodies to none.'],
    judge: ({ options: { LogBodies: kept, LogBodyDays: days } }) =>
      when(kept !== 'none' && days > longBodies, warn(`${kept}，保留 ${days} 天。`, `${kept}, for ${days} days.`)),
  },
});
