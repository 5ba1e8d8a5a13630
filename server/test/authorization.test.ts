import { role, routes } from '@tollgate/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AnyRoute } from '../src/api/types.ts';
import { type ApiKit, createApiKit, type KitAnswer } from './api-kit.ts';
import { defaultRow, matrix, type Outcome, type Row, roles, type Target, type Who } from './authorization-matrix.ts';
import {
  type Actor,
  actorPassword,
  addActor,
  addChannel,
  addCharge,
  dump,
  marks,
  type Scene,
  uniqueWord,
} from './authorization-scene.ts';
import { onEachEngine } from './engines.ts';

const credentials = ['valid', 'no header', 'wrong header', 'sk- token', 'system access token'] as const;
type Credential = (typeof credentials)[number];

const everyRoute = Object.values(routes).flatMap((group) => Object.values<AnyRoute>(group));
const listed = new Set(matrix.map(({ route }) => route));
const rows = [...matrix, ...everyRoute.filter((route) => !listed.has(route)).map(defaultRow)];
const named = rows.map((row): [string, Row] => [`${row.route.method} ${row.route.path} ${row.title}`.trim(), row]);
const roleOf: Record<Who, number> = { AN: role.guest, CU: role.common, OU: role.common, AD: role.admin, RT: role.root };
const denied = new Set<Outcome>(['401', 'D', 'D4']);
const missingId = 999_999_999;
const startsRun = /\/channel\/(test|update_balance)$/;
/** What the access check answers to those it keeps out. */
const keptOut = /^无权进行此操作/;

/** What one caller with one kind of credential comes to. */
function expected(row: Row, who: Who, credential: Credential): Outcome {
  const outcome = row.outcomes[who];
  if (outcome === '-' || (who === 'AN' && credential !== 'valid')) return '-';
  if (row.route.access === 'none' || row.route.access === 'try') return credential === 'valid' ? outcome : '-';
  if (credential === 'valid') return outcome;
  if (credential !== 'system access token') return '401';
  return row.byAccessToken ?? outcome;
}

function headersOf(credential: Credential, actor: Actor, sk: string): Record<string, string> {
  const own = { 'New-Api-User': String(actor.id) };
  if (credential === 'valid') return { Cookie: actor.cookie, ...own };
  if (credential === 'no header') return { Cookie: actor.cookie };
  if (credential === 'wrong header') return { Cookie: actor.cookie, 'New-Api-User': String(actor.id + 1) };
  const secret = credential === 'sk- token' ? sk : actor.accessToken;
  return { Authorization: `Bearer ${secret}`, ...own };
}

onEachEngine((_name, open) => {
  let kit: ApiKit;
  let passwordHash: string;
  let victim: Actor;

  beforeAll(async () => {
    kit = await createApiKit(await open());
    await kit.call({ method: 'POST', path: '/api/user/register', body: { username: 'model', password: actorPassword } });
    const model = kit.db.read.selectFrom('users').select('password_hash').where('username', '=', 'model');
    passwordHash = (await model.executeTakeFirstOrThrow()).password_hash;
    victim = await addActor(kit, passwordHash);
  });

  const actorFor = (who: Who) => addActor(kit, passwordHash, roleOf[who] || role.common);
  /** Denied calls leave their caller as they were, so that one for each role serves them all. */
  const standing = new Map<Who, Promise<Actor>>();
  const standingActor = (who: Who): Promise<Actor> => {
    const actor = standing.get(who) ?? actorFor(who);
    standing.set(who, actor);
    return actor;
  };
  const send = (row: Row, target: Target, headers: Record<string, string>) => {
    const path = row.route.path.replace(':id', String(target.id ?? missingId)) + (target.query ?? '');
    const body = target.body ?? (row.route.body === undefined ? undefined : {});
    return kit.call({ method: row.route.method, path, headers, ...(body === undefined ? {} : { body }) });
  };
  const attempt = async (row: Row, who: Who, credential: Credential, actor: Actor) => {
    const scene: Scene = {
      kit,
      actor,
      victim,
      unique: uniqueWord(),
      channel: () => addChannel(kit),
      charge: (id) => addCharge(kit, id),
    };
    const target = await row.target(scene);
    const headers = who === 'AN' ? {} : headersOf(credential, actor, `sk-${`token`.padEnd(48, '0')}`);
    return { target, headers, run: () => send(row, target, headers) };
  };
  const missing = ({ body, ...target }: Target): Target => ({
    ...target,
    ...(target.id === undefined ? {} : { id: missingId }),
    ...(body === undefined ? {} : { body: 'id' in body ? { ...body, id: missingId } : body }),
  });

  const judge = (outcome: Outcome, answer: KitAnswer, label: string) => {
    const { status, json, text } = answer;
    expect(text).not.toMatch(new RegExp(`${marks.secret}|argon2|stack`));
    // A file has no envelope; who may not have it gets one that says so.
    const isFile = answer.headers.has('content-disposition') && (outcome === 'ok' || outcome === 'in');
    if (isFile) return expect([label, status]).toEqual([label, 200]);
    expect(typeof json?.success, `${label}: ${text}`).toBe('boolean');
    if (outcome === 'ok') expect([label, status, json.success], text).toEqual([label, 200, true]);
    else if (outcome === 'in') {
      expect(status, `${label}: ${text}`).toBeLessThan(500);
      expect(json.message, label).not.toMatch(keptOut);
    } else {
      expect([label, json.success], text).toEqual([label, false]);
      expect(json.data, label).toBeUndefined();
      expect(text).not.toContain(marks.protected);
      const allowed = outcome === '401' ? [401] : outcome === 'D4' ? [404] : [200, 401, 403, 404];
      expect(allowed, `${label}: ${status} ${text}`).toContain(status);
    }
  };

  /** A run over all channels goes on after its answer; the next row's look at the tables must not see it write. */
  const runsEnded = async () => {
    const root = await kit.root();
    const isRunning = async () => {
      const { test: tests, balance } = (await kit.call({ method: 'GET', path: '/api/channel/jobs', as: root })).json.data;
      return tests.running || balance.running;
    };
    await expect.poll(isRunning, { timeout: 10_000 }).toBe(false);
  };

  const cells = (row: Row) =>
    roles.flatMap((who) =>
      credentials.map((credential) => ({
        who,
        credential,
        outcome: expected(row, who, credential),
        label: `${who}, ${credential}`,
      })),
    );

  const cellsWith = (fits: (outcome: Outcome) => boolean) =>
    named.flatMap(([title, row]) => {
      const fitting = cells(row).filter(({ outcome }) => fits(outcome));
      return fitting.length === 0 ? [] : [[title, row, fitting] as const];
    });

  // These compare every table, so they come before the hundreds of users of those who are let in.
  describe('denied calls change nothing and show nothing protected', () => {
    test.each(cellsWith((outcome) => denied.has(outcome)))('%s', async (_title, row, kept) => {
      const attempts = [];
      for (const { who, credential, ...cell } of kept) {
        attempts.push({ ...cell, ...(await attempt(row, who, credential, await standingActor(who))) });
      }
      const before = await dump(kit);
      for (const { outcome, label, target, headers, run } of attempts) {
        const answer = await run();
        judge(outcome, answer, label);
        if (outcome !== 'D4') continue;
        const absent = await send(row, missing(target), headers);
        expect([label, absent.status, absent.text]).toEqual([label, answer.status, answer.text]);
      }
      expect(await dump(kit)).toEqual(before);
    });
  });

  describe('whoever may call it comes through', () => {
    test.each(cellsWith((outcome) => outcome === 'ok' || outcome === 'in'))('%s', async (_title, row, admitted) => {
      for (const { who, credential, outcome, label } of admitted) {
        const { run } = await attempt(row, who, credential, await actorFor(who));
        judge(outcome, await run(), label);
      }
      if (startsRun.test(row.route.path)) await runsEnded();
    });
  });

  test('no call of the walk was answered by a defect', () => {
    expect(kit.logged).toEqual([]);
  });
});

test('every row of the matrix stands for a route of the contract', () => {
  expect(matrix.filter(({ route }) => !everyRoute.includes(route))).toEqual([]);
});
