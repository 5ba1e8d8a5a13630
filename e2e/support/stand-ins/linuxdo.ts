import { createGrants, type Grants } from './authorization.ts';
import { type Reply, startWeb, type Web } from './web.ts';

export interface LinuxDoUser {
  id: number;
  username: string;
  name: string;
  active: boolean;
  trust_level: number;
}

export interface LinuxDo extends Web, Pick<Grants<LinuxDoUser>, 'agree' | 'issue'> {
  rewrite: string[];
}

/** Stands in for connect.linux.do. */
export async function startLinuxDo(client: { id: string; secret: string }): Promise<LinuxDo> {
  const grants = createGrants<LinuxDoUser>();
  const expected = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
  const web = await startWeb(({ path, headers, body }): Reply => {
    if (path === '/api/user') {
      const user = grants.userOf(headers.authorization);
      return user === undefined ? { status: 401, body: {} } : { body: { ...user } };
    }
    if (path !== '/oauth2/token') return { status: 404 };
    const form = new URLSearchParams(body);
    const isClient = headers.authorization === expected && form.get('grant_type') === 'authorization_code';
    const grant = isClient ? grants.redeem(form, client.id) : undefined;
    if (grant === undefined) return { status: 400, body: { error: 'invalid_grant' } };
    return { body: { access_token: grants.tokenFor(grant.user), token_type: 'bearer' } };
  });
  return { ...web, agree: grants.agree, issue: grants.issue, rewrite: [`connect.linux.do=${web.origin}`] };
}
