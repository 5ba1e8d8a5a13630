import type { ExplainInput } from '@tollgate/contract';
import { excludedOf, type RouteSearch } from './search.ts';

/** What the server is asked; undefined before a model is named. */
export function explainInputOf({ group = '', model, token, user, size, exclude, seed }: RouteSearch): ExplainInput | undefined {
  if (model === undefined) return undefined;
  return {
    group,
    model,
    exclude: excludedOf(exclude),
    ...(token === undefined ? {} : { token_id: token }),
    ...(user === undefined ? {} : { user_id: user }),
    ...(size === undefined ? {} : { size }),
    ...(seed === undefined ? {} : { seed }),
  };
}
