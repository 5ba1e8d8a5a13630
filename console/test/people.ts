import type { AuditEntry, Passkey, SessionEntry, User } from '@tollgate/contract';
import { common, now, root, userOf } from './fixtures.ts';

/** Typed sample data around accounts: users, sessions, passkeys, the audit log. */
export const users: User[] = [
  { ...userOf({ ...common, id: 12, username: 'wangfang', display_name: '王芳', role: 10 }), email: 'wangfang@example.org' },
  { ...userOf({ ...common, id: 11, username: 'gone', display_name: '' }), DeletedAt: '2026-11-01T00:00:00.000Z' },
  { ...userOf({ ...common, id: 10, username: 'zhaolei', display_name: '赵磊', status: 2 }), aff_count: 3, inviter_id: 7 },
  { ...userOf({ ...common, id: 9, username: 'locked', display_name: '', status: 3 }) },
  { ...userOf(common), github_id: 'li-hua', quota: 61_728_394 },
  userOf(root),
];

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 (KHTML, like Gecko) Version/18.0 Mobile/15 Safari/604';
export const sessions: SessionEntry[] = [
  {
    id: 1,
    ip: '203.0.113.7',
    user_agent: chrome,
    created_time: now - 60,
    proven_time: now - 60,
    last_seen_time: now,
    current: true,
  },
  {
    id: 2,
    ip: '198.51.100.4',
    user_agent: phone,
    created_time: now - 90_000,
    proven_time: 0,
    last_seen_time: now - 7200,
    current: false,
  },
];
export const passkeys: Passkey[] = [{ id: 3, name: '办公电脑', created_at: now - 90_000, used_at: 0 }];

export const auditEntries: AuditEntry[] = [
  {
    seq: 41,
    created_at: now,
    actor_id: 1,
    actor: 'root',
    action: 'user.promote',
    target: 'user:12',
    detail: '{"role":{"from":1,"to":10}}',
  },
  {
    seq: 40,
    created_at: now - 5,
    actor_id: 0,
    actor: '',
    action: 'login.failed',
    target: 'user:7',
    detail: '{"door":"password"}',
  },
  { seq: 39, created_at: now - 9, actor_id: 1, actor: 'root', action: 'future.thing', target: '', detail: 'not json' },
].map((entry) => ({ ...entry, ip: '203.0.113.7', hash: 'ab'.repeat(32) }));
