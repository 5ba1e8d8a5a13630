import { type Envelope, errorText, turnstileAction } from '@tollgate/contract';
import { telegramLogin } from '../stand-ins/telegram.ts';
import { ask, type Batch, client, on, password, row, type Sight, status } from './scene.ts';

interface Visit {
  /** The provider's page. */
  page: URL;
  body: Envelope<{ username: string }>;
}

let visitors = 1000;
/** A number that no visitor had before. */
function nextVisitor(): number {
  visitors += 1;
  return visitors;
}

/** A stranger goes to the provider's page, agrees and comes back. */
const visit =
  (provider: 'github' | 'linuxdo' | 'oidc') =>
  async (sight: Sight): Promise<Visit> => {
    const { url } = sight.gateway;
    const opened = await fetch(`${url}/api/oauth/authorize?provider=${provider}`);
    const page = ((await opened.json()) as Envelope<string>).data ?? '';
    visitors += 1;
    const id = visitors;
    const granted = {
      github: () => sight.github.agree(page, { id, login: `gh${id}`, name: null }),
      linuxdo: () => sight.linuxdo.agree(page, { id, username: `ld${id}`, name: '', active: true, trust_level: 2 }),
      oidc: () => sight.oidc.agree(page, { sub: `s${id}`, name: `Oi ${id}`, email: `oi${id}@example.org`, email_verified: true }),
    }[provider]();
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const query = new URLSearchParams({ ...granted, ...(provider === 'oidc' ? { iss: sight.oidc.issuer } : {}) });
    const back = await fetch(`${url}/api/oauth/${provider}?${query}`, { headers: { cookie } });
    return { page: new URL(page), body: (await back.json()) as Visit['body'] };
  };
const comesIn = (provider: Parameters<typeof visit>[0]) => async (sight: Sight) => {
  const { success, message } = (await visit(provider)(sight)).body;
  return success || message;
};
const pageOf = (provider: Parameters<typeof visit>[0], read: (page: URL) => unknown) => async (sight: Sight) =>
  read((await visit(provider)(sight)).page);
const clientIn = (page: URL) => page.searchParams.get('client_id');

async function wechat(sight: Sight): Promise<unknown> {
  sight.wechat.codes.set('123456', `wx-${nextVisitor()}`);
  return (await ask(sight, '/api/oauth/wechat?code=123456')).success;
}

async function telegram(sight: Sight): Promise<unknown> {
  const fields = telegramLogin('bot-token-1', { id: nextVisitor(), auth_date: Math.floor(Date.now() / 1000) });
  return (await ask(sight, `/api/oauth/telegram/login?${fields}`)).message;
}

const register = (sight: Sight, token: string) => {
  const username = `checked${nextVisitor()}`;
  return ask(sight, `/api/user/register?turnstile=${token}`, { username, password });
};

async function solved(sight: Sight): Promise<unknown> {
  sight.turnstile.tokens.set('solved-1', { action: turnstileAction, hostname: '127.0.0.1' });
  return (await register(sight, 'solved-1')).message;
}

const { id, secret } = client;

/** Every way in that somebody else vouches for. */
export const doorBatches: readonly Batch[] = [
  {
    name: 'doors',
    rows: [
      on('GitHubOAuthEnabled', comesIn('github'), true),
      row('GitHubClientId', id, pageOf('github', clientIn), id),
      row('GitHubClientSecret', secret, comesIn('github'), true),
      on('LinuxDOOAuthEnabled', comesIn('linuxdo'), true),
      row('LinuxDOClientId', id, pageOf('linuxdo', clientIn), id),
      row('LinuxDOClientSecret', secret, comesIn('linuxdo'), true),
      on('oidc.enabled', comesIn('oidc'), true),
      row('oidc.client_id', id, status('oidc_client_id'), id),
      row('oidc.client_secret', secret, comesIn('oidc'), true),
      row(
        'oidc.well_known',
        ({ oidc }) => `${oidc.issuer}/.well-known/openid-configuration`,
        pageOf('oidc', ({ pathname }) => pathname),
        '/authorize',
      ),
      on('WeChatAuthEnabled', status('wechat_login'), true),
      row('WeChatServerAddress', ({ wechat: server }) => server.address, wechat, true),
      row('WeChatServerToken', secret, wechat, true),
      on('TelegramOAuthEnabled', status('telegram_oauth'), true),
      row('TelegramBotToken', 'bot-token-1', telegram, errorText('telegram_unbound')),
    ],
  },
  {
    name: 'a provider without a document',
    given: { 'oidc.enabled': 'true', 'oidc.client_id': id, 'oidc.client_secret': secret },
    rows: [
      row(
        'oidc.authorization_endpoint',
        ({ oidc }) => `${oidc.issuer}/enter`,
        pageOf('oidc', ({ pathname }) => pathname),
        '/enter',
      ),
      row('oidc.token_endpoint', ({ oidc }) => `${oidc.issuer}/token`, comesIn('oidc'), true),
      row('oidc.user_info_endpoint', ({ oidc }) => `${oidc.issuer}/userinfo`, comesIn('oidc'), true),
    ],
  },
  {
    name: 'a bot check',
    rows: [
      row('TurnstileSiteKey', 'site-key-1', status('turnstile_site_key'), 'site-key-1'),
      row('TurnstileSecretKey', secret, solved, ''),
      on('TurnstileCheckEnabled', async (sight) => (await register(sight, '')).message, 'Turnstile token 为空'),
    ],
  },
];
