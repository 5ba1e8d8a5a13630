import type { tokenRoutes } from '@tollgate/contract';
import type { Tokens } from '../identity/index.ts';
import { PublicError } from '../platform/errors.ts';
import { type Handlers, signedIn } from './types.ts';

export function tokenHandlers({ tokens }: { tokens: Tokens }): Handlers<typeof tokenRoutes> {
  return {
    list: (call) => tokens.list(signedIn(call).user, call.query.p, call.query.size),
    search: (call) => tokens.search(signedIn(call).user, call.query.keyword, call.query.token),
    get: (call) => tokens.get(signedIn(call).user, call.id),
    async create(call) {
      await tokens.create(signedIn(call).user, call.body);
    },
    update(call) {
      const { user } = signedIn(call);
      const { body, query } = call;
      if (query.status_only) {
        if ('status' in body) return tokens.setStatus(user, body.id, body.status);
        throw new PublicError('parameter_error');
      }
      if ('status' in body) throw new PublicError('parameter_error');
      return tokens.update(user, body.id, body);
    },
    rotate: (call) => tokens.rotate(signedIn(call).user, call.id),
    async remove(call) {
      await tokens.remove(signedIn(call).user, call.id);
    },
  };
}
