import { role, routes } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import type { AnyRoute } from './types.ts';

const { account, channelOps, notify, personal, route, signIn, topup } = routes;

/** No plain readings by their method, and yet nothing stays changed: coming in, and questions with a body. */
const harmless: ReadonlySet<AnyRoute> = new Set<AnyRoute>([
  ...[account.login, signIn.totpLogin, signIn.passkeyLoginOptions, signIn.passkeyLogin],
  ...[route.explain, topup.amount, topup.checkoutAmount],
]);

/** Readings by their method that change something, send mail or spend what the operator pays for. */
const acts: ReadonlySet<AnyRoute> = new Set<AnyRoute>([
  ...[personal.accessToken, signIn.verification, signIn.requestReset],
  ...[signIn.emailBind, signIn.wechatBind, signIn.telegramBind, notify.wxpusherCode, notify.wxpusherStatus],
  ...[channelOps.test, channelOps.testAll, channelOps.updateBalance, channelOps.updateBalances],
  ...[channelOps.fetchModels, channelOps.diffModels, channelOps.testUpstream],
]);

/** Sign a stranger in, and bind an account to whoever is signed in. */
const doors: ReadonlySet<AnyRoute> = new Set<AnyRoute>([signIn.github, signIn.linuxdo, signIn.oidc]);

/**
 * Visitors of a demo look around and call models; what they would change is refused with 405 (decision 0040). The super
 * administrator runs the site as ever. `userRole`: undefined = nobody is signed in.
 */
export function refuseAtDemo(asked: AnyRoute, userRole: number | undefined): void {
  if ((userRole ?? role.guest) >= role.root) return;
  const changes = asked.method === 'GET' ? acts.has(asked) || (userRole !== undefined && doors.has(asked)) : !harmless.has(asked);
  if (changes) throw new PublicError('demo_site');
}
