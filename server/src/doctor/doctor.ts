import { type DoctorCheck, type DoctorGroup, type DoctorReport, doctorGroups } from '@tollgate/contract';
import { nowSeconds } from '../platform/clock.ts';
import type { Language } from '../platform/errors.ts';
import { within } from '../platform/within.ts';
import { type Check, type Finding, type Text, warn } from './check.ts';
import { checks } from './checks.ts';
import { gatherChannels } from './facts/channels.ts';
import { gatherEngine } from './facts/engine.ts';
import { gatherExposure } from './facts/exposure.ts';
import { gatherHost } from './facts/host.ts';
import { gatherMoney } from './facts/money.ts';
import { gatherNodes } from './facts/nodes.ts';
import { gatherPeople } from './facts/people.ts';
import { gatherSettings } from './facts/settings.ts';
import { gatherUpkeep } from './facts/upkeep.ts';
import type { Facts } from './facts.ts';
import type { World } from './world.ts';

const gatherers: { readonly [Group in DoctorGroup]: (world: World) => Promise<Facts[Group]> } = {
  host: gatherHost,
  exposure: gatherExposure,
  engine: gatherEngine,
  money: gatherMoney,
  channels: gatherChannels,
  people: gatherPeople,
  settings: gatherSettings,
  upkeep: gatherUpkeep,
  nodes: gatherNodes,
};

/** A group that takes longer counts as not looked at. */
const groupTimeoutMs = 10_000;

/** What could be gathered, and of the rest which place could not be looked at. */
export type Gathered = Partial<Facts> & { readonly places?: Partial<Record<DoctorGroup, string | undefined>> };

/** Looks at everything, one group after the other, so that nobody's reads wait for long. Throws nothing. */
export async function gather(world: World): Promise<Gathered> {
  const gathered: Partial<Record<DoctorGroup, unknown>> = {};
  const places: Partial<Record<DoctorGroup, string | undefined>> = {};
  let options: ReturnType<World['settings']> | undefined;
  const once: World = {
    ...world,
    settings: () => {
      options ??= world.settings();
      return options;
    },
  };
  for (const group of doctorGroups) {
    gathered[group] = await within<unknown>(gatherers[group](once), groupTimeoutMs, () => undefined).catch((error: unknown) => {
      places[group] = placeOf(error);
    });
  }
  return { ...gathered, places } as Gathered;
}

/** Of a file or folder that cannot be looked at; other words may hold what nobody should read. */
function placeOf(error: unknown): string | undefined {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  return code === undefined || path === undefined ? undefined : `${code} ${path}`;
}

/** Pure: every check over what was gathered. */
export function judge(gathered: Gathered, now: number, language: Language): DoctorReport {
  const judged = checks.map((check) => describe(check, gathered, language));
  return { ok: judged.every(({ level }) => level !== 'fail'), checked_at: now, checks: judged };
}

export interface Doctor {
  report(language: Language): Promise<DoctorReport>;
}

/** Several who ask at once share one look. */
export function createDoctor(world: World): Doctor {
  let looking: Promise<Gathered> | undefined;
  return {
    async report(language) {
      looking ??= gather(world).finally(() => {
        looking = undefined;
      });
      return judge(await looking, nowSeconds(world.clock), language);
    },
  };
}

const unseen = warn('这一组没能检查（超时或出错）。', 'This group could not be looked at: it failed or took too long.');
const unseenAt = (place: string): Finding => ({
  ...warn(`这一组没能检查：${place}。`, `This group could not be looked at: ${place}.`),
  fix: [
    '检查 DATA_DIR 是否与服务的一致、能否读取，再运行一次。',
    "See that DATA_DIR is the server's and can be read, then look again.",
  ],
});

function findingOf(check: Check, gathered: Gathered): Finding | undefined {
  const facts = gathered[check.group];
  const place = gathered.places?.[check.group];
  if (facts === undefined) return place === undefined ? unseen : unseenAt(place);
  // The table pairs each check with its group's facts; the union cannot say so.
  return check.judge(facts as never);
}

function describe(check: Check, gathered: Gathered, language: Language): DoctorCheck {
  const { id, group, title, means, fix } = check;
  const finding = findingOf(check, gathered);
  const found = finding?.found ?? check.shown?.(gathered[group] as never);
  const say = ([zh, en]: Text): string => (language === 'zh' ? zh : en);
  const detail = found === undefined ? say(means) : `${say(found)}${language === 'zh' ? '' : ' '}${say(means)}`;
  return { id, group, level: finding?.level ?? 'ok', title: say(title), detail, fix: say(finding?.fix ?? fix) };
}
