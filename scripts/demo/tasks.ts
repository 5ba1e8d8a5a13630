import { requestId } from '../../server/src/platform/ids.ts';
import { createLog } from '../../server/src/platform/log.ts';
import { chargeOf } from '../../server/src/relay/tasks/charge.ts';
import { createTaskDesk, longestMs } from '../../server/src/tasks/index.ts';
import type { Books } from './book.ts';

/** One drawing, song or video of the history. */
interface SampleTask {
  /** Unix seconds. */
  readonly endedAt: number;
  readonly token: string;
  readonly platform: 'mj' | 'suno' | 'video';
  readonly action: string;
  readonly model: string;
  readonly prompt: string;
  /** "" = it succeeded. */
  readonly failReason: string;
  readonly tookSeconds: number;
  readonly seconds?: number;
}

const hourSeconds = 3_600;
const kinds = [
  ['mj', 'IMAGINE', 'mj_imagine', 'a lighthouse at dawn, watercolour --ar 3:2', 52],
  ['mj', 'UPSCALE', 'mj_upscale', '', 9],
  ['mj', 'VARIATION', 'mj_variation', '', 41],
  ['mj', 'IMAGINE', 'mj_imagine', '一只戴着草帽的橘猫，胶片质感', 74],
  ['suno', 'MUSIC', 'suno_music', 'a slow waltz for accordion and rain', 128],
  ['mj', 'DESCRIBE', 'mj_describe', '', 12],
  ['suno', 'LYRICS', 'suno_lyrics', 'an ode to the last train home', 7],
  ['video', 'GENERATE', 'sora-2', 'paper boats on a city canal, handheld camera', 94],
] as const;

const count = 36;

/** Some each day, the newest an hour ago; every ninth failed. */
export function sampleTasks(now: number, token: string): SampleTask[] {
  return Array.from({ length: count }, (_, index) => {
    const [platform, action, model, prompt, tookSeconds] = kinds[index % kinds.length] ?? kinds[0];
    return {
      ...{ platform, action, model, prompt, tookSeconds, token },
      endedAt: now - hourSeconds - (count - index) * 5 * hourSeconds,
      failReason: index % 9 === 8 ? 'the prompt was refused by the moderator' : '',
      ...(platform === 'video' ? { seconds: 4 } : {}),
    };
  });
}

/** Books a task the way the relay and the poller do: row, hold, acceptance, end. Who cannot pay leaves nothing. */
export async function bookTask({ services, snapshot, keys }: Books, sample: SampleTask, index: number): Promise<void> {
  const key = keys.get(sample.token);
  const { platform, action, model, prompt, seconds } = sample;
  const group = key === undefined || key.group === '' ? (key?.user.group ?? '') : key.group;
  const channel = snapshot.route(group, model)?.tiers[0]?.members[0];
  const price = key && snapshot.prices.lookup({ model, userGroup: key.user.group, usingGroup: group });
  if (key === undefined || price === undefined || channel === undefined) throw new Error(`${model} cannot be made in ${group}`);
  const { db, clock, ledger, settings } = services;
  const desk = createTaskDesk({ db, clock, ledger, log: createLog('silent'), options: () => settings.current() });
  services.travelTo(sample.endedAt - sample.tookSeconds);
  const nowMs = clock.nowMs();
  const id = requestId(clock);
  const input = { prompt, ...(seconds === undefined ? {} : { seconds }) };
  const order = {
    platform,
    action,
    model,
    input,
    bytes: Buffer.alloc(0),
    mode: '',
    build: () => ({ method: 'POST' as const, path: '' }),
  };
  const charge = chargeOf({ id, ip: '203.0.113.24', key, order, price, group, isLogged: true }, services.sign);
  const place = { channelId: channel.id, keyId: channel.keys[0]?.id ?? '', group, charge, input };
  const owner = { userId: key.user.id, tokenId: key.tokenId };
  const times = { submitAtMs: nowMs, deadlineAtMs: nowMs + longestMs[platform], nowMs, dueAtMs: nowMs };
  const task = await desk.begin({
    ...{ platform, action, model, mode: '', holdId: id, publicId: id, quota: charge.cost },
    ...{ ...place, ...owner, ...times },
  });
  const lease = { now: Math.floor(nowMs / 1000), leaseUntil: Math.floor(times.deadlineAtMs / 1000), keeper: 'task' as const };
  const { cost: amount, draft } = charge;
  const held = await ledger.hold({ ...owner, ...lease, id, amount, floorCost: amount, node: 'demo', draft });
  if (!held.ok) return desk.forget(task);
  const along = { dueAtMs: nowMs, sentTo: place };
  await desk.tell(task, { kind: 'accepted', upstreamId: `17${String(41_000_000_000 + index * 7_919)}`, code: 1 }, along);
  services.travelTo(sample.endedAt);
  const status = sample.failReason === '' ? ('SUCCESS' as const) : ('FAILURE' as const);
  const report = { status, failReason: sample.failReason, startAtMs: nowMs + 2_000 };
  await desk.tell(task, { kind: 'report', report }, { dueAtMs: clock.nowMs() });
}
