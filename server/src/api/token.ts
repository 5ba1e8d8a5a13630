import { type tokenRoutes, tokenStatusChange } from '@tollgate/contract';
import type { Tokens } from '../identity/index.ts';
import { PublicError } from '../platform/errors.ts';
import { judge } from './request.ts';
import { actorOf, type Handlers, signedIn } from './types.ts';

export function tokenHandlers({ tokens }: { tokens: Tokens }): Handlers<typeof tokenRoutes> {
  return {
    list: (call) => tokens.list(signedIn(call).user, { ...call.query, page_size: call.query.size }),
    search: (call) => tokens.search(signedIn(call).user, call.query),
    get: (call) => tokens.get(signedIn(call).user, call.id),
    async create(call) {
      await tokens.create(signedIn(call).user, call.body, actorOf(call));
    },
    update(call) {
      const { user } = signedIn(call);
      const { body, query } = call;
      if (query.status_only) {
        const { id, status } = judge(tokenStatusChange, body, 'parameter_error');
        return tokens.setStatus(user, id, status, actorOf(call));
      }
      if (!('name' in body)) throw new PublicError('parameter_error');
      const { status: _, ...change } = body;
      return tokens.update(user, body.id, change, actorOf(call));
    },
    rotate: (call) => tokens.rotate(signedIn(call).user, call.id, call.query.old_key_seconds, actorOf(call)),
    endOldKey: (call) => tokens.endOldKey(signedIn(call).user, call.id, actorOf(call)),
    async remove(call) {
      await tokens.remove(signedIn(call).user, call.id, actorOf(call));
    },
  };
}
