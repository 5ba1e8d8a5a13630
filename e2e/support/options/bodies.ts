import path from 'node:path';
import type { LogBody } from '@tollgate/contract';
import Sqlite from 'better-sqlite3';
import { postJson } from '../post-json.ts';
import { eventually } from '../wait.ts';
import { type Batch, model, once, row, type Sight } from './scene.ts';

/** A call and what was kept of it. */
async function kept({ gateway, key, root }: Sight, question: string): Promise<{ path: string; body: LogBody }> {
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, key, {
    model,
    messages: [{ role: 'user', content: question }],
  });
  await answer.text();
  const found = await eventuallyGet(async () => {
    const [entry] = await root.logs(`request_id=${answer.headers.get('x-oneapi-request-id')}&type=2`);
    const address = `/api/log/${entry?.id}/body`;
    return { path: address, body: await root.call<LogBody>('GET', address) };
  });
  return found;
}

async function eventuallyGet<Value>(get: () => Promise<Value>): Promise<Value> {
  const found: Value[] = [];
  await eventually(async () => {
    found.push(await get());
  });
  return found[0] as Value;
}

const long = once((sight) => kept(sight, 'long '.repeat(1000)));

/** Two days go by for the body of one call; another's is of today. */
async function whatStays(sight: Sight): Promise<unknown> {
  const [old, young] = [await kept(sight, 'of old'), await kept(sight, 'of today')];
  const database = new Sqlite(path.join(sight.gateway.dataDir, 'tollgate.db'));
  database.prepare('UPDATE log_body SET created_at = created_at - 172800 WHERE request_id = ?').run(old.body.request_id);
  database.close();
  await eventually(async () => {
    if ((await sight.root.raw('GET', old.path)).status !== 404) throw new Error('it is still there');
  }, 15_000);
  return (await sight.root.call<LogBody>('GET', young.path)).request.includes('of today');
}

/** Of two drawings that ended, one of them two days ago: those whose words are still there. */
async function drawingsThatStay({ gateway }: Sight): Promise<unknown> {
  const database = new Sqlite(path.join(gateway.dataDir, 'tollgate.db'));
  const insert = database.prepare(
    `INSERT INTO task (public_id, platform, action, user_id, token_id, group_name, model, hold_id, quota, status, input, created_at,
      updated_at, submit_at_ms, deadline_at_ms) VALUES (?, 'mj', 'IMAGINE', 1, 0, 'default', 'mj_imagine', ?, 0, 'SUCCESS', ?, ?, 0, 0, 0)`,
  );
  const now = Math.floor(Date.now() / 1000);
  for (const [name, at] of [['old', now - 172_800] as const, ['young', now] as const])
    insert.run(name, name, JSON.stringify({ prompt: name }), at);
  const withWords = () => database.prepare("SELECT public_id FROM task WHERE input LIKE '%prompt%' ORDER BY id").pluck().all();
  try {
    await eventually(async () => {
      if (withWords().length === 2) throw new Error('both are still there');
    }, 15_000);
    return withWords();
  } finally {
    database.close();
  }
}

/** Questions and answers that are kept. */
export const bodyBatches: readonly Batch[] = [
  {
    name: 'bodies',
    given: { LogBodies: 'sampled' },
    rows: [
      row('LogBodySampleRate', '100', async (sight) => (await long(sight)).body.status, 200),
      row('LogBodyMaxKb', '1', async (sight) => [(await long(sight)).body.truncated, (await long(sight)).body.request.length], [
        true,
        1024,
      ]),
      row('LogBodyDays', '1', whatStays, true),
      row('TaskKeepDays', '1', drawingsThatStay, ['young']),
    ],
  },
];
