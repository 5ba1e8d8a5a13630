import { within } from '../platform/within.ts';

type Fetch<Env> = (request: Request, env: Env) => Response | Promise<Response>;

/** A slow take-over holds an answer up for this long at most; it goes on behind it. */
const patienceMs = 1_000;

/** Answers a change when this node has taken it over (`catchUp`), so that whoever made it sees it in the next call. */
export function afterOwnWrites<Env>(fetch: Fetch<Env>, catchUp: () => Promise<void>): Fetch<Env> {
  return async (request, env) => {
    const answer = await fetch(request, env);
    if (request.method === 'GET' || request.method === 'HEAD' || !answer.ok) return answer;
    await within(catchUp(), patienceMs, () => undefined);
    return answer;
  };
}
