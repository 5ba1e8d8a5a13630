import { type SmtpSink, startSmtp } from '../../e2e/support/stand-ins/smtp.ts';
import { type ApiKit, createApiKit, type KitAnswer, type KitOptions, type KitUser } from './api-kit.ts';
import type { Open } from './engines.ts';

/** The public address of the site in these tests. */
export const site = 'https://gate.example.org';

export interface DoorKit extends ApiKit {
  smtp: SmtpSink;
  /** Saves options as root. */
  set(options: Record<string, string | number | boolean>): Promise<void>;
  get(path: string, as?: KitUser, headers?: Record<string, string>): Promise<KitAnswer>;
  post(path: string, body: unknown, as?: KitUser): Promise<KitAnswer>;
  /** The code in the mail that arrives as number `count`. */
  mailedCode(count: number): Promise<string>;
  /** The same user with the cookie that an answer brought. */
  renewed(user: KitUser, answer: KitAnswer): KitUser;
  close(): Promise<void>;
}

/** The console API with a mail server behind it. */
export async function createDoorKit(open: Open, kitOptions: KitOptions = {}): Promise<DoorKit> {
  const kit = await createApiKit(await open(), kitOptions);
  const smtp = await startSmtp();
  const root = await kit.root();
  const set = async (options: Record<string, string | number | boolean>) => {
    const body = Object.entries(options).map(([key, value]) => ({ key, value }));
    const answer = await kit.call({ method: 'PUT', path: '/api/option/', body, as: root });
    if (answer.json?.success !== true) throw new Error(`options were refused: ${answer.text}`);
  };
  await set({ SMTPServer: '127.0.0.1', SMTPPort: smtp.port, SMTPFrom: 'gate@example.org', ServerAddress: site });
  return {
    ...kit,
    smtp,
    set,
    get: (path, as, headers = {}) => kit.call({ path, as, headers }),
    post: (path, body, as) => kit.call({ method: 'POST', path, body, as }),
    async mailedCode(count) {
      return />(\d{6})<\/p>/.exec((await smtp.mail(count)).html)?.[1] ?? '';
    },
    renewed: (user, answer) => ({ ...user, cookie: sessionCookie(answer) }),
    close: smtp.close,
  };
}

/** `name=value` of the session cookie that an answer sets; "" when it sets none. */
export function sessionCookie(answer: KitAnswer): string {
  return cookieNamed(answer, 'session');
}

export function cookieNamed(answer: KitAnswer, name: string): string {
  const found = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
  return found?.split(';')[0] ?? '';
}
