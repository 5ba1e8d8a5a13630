import { createGrants, type Grants } from './authorization.ts';
import { type Reply, startWeb, type Web } from './web.ts';

export interface GitHubUser {
  id: number;
  login: string;
  name: string | null;
}

export interface GitHub extends Web, Pick<Grants<GitHubUser>, 'agree' | 'issue'> {
  /** Entries for EGRESS_REWRITE. */
  rewrite: string[];
}

/** Stands in for github.com and api.github.com. */
export async function startGitHub(client: { id: string; secret: string }): Promise<GitHub> {
  const grants = createGrants<GitHubUser>();
  const web = await startWeb(({ path, headers, body }): Reply => {
    if (path === '/user') {
      const user = grants.userOf(headers.authorization);
      return user === undefined ? { status: 401, body: { message: 'Bad credentials' } } : { body: { ...user } };
    }
    if (path !== '/login/oauth/access_token') return { status: 404 };
    const form = new URLSearchParams(JSON.parse(body) as Record<string, string>);
    const isClient = form.get('client_id') === client.id && form.get('client_secret') === client.secret;
    const grant = isClient ? grants.redeem(form, client.id) : undefined;
    // GitHub answers 200 for refused codes too.
    if (grant === undefined) return { body: { error: 'bad_verification_code' } };
    return { body: { access_token: grants.tokenFor(grant.user), token_type: 'bearer', scope: 'user:email' } };
  });
  const rewrite = ['github.com', 'api.github.com'].map((host) => `${host}=${web.origin}`);
  return { ...web, agree: grants.agree, issue: grants.issue, rewrite };
}
