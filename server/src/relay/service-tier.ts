import { type chat, foldedName, memberText } from '@tollgate/wire';
import { type Choices, type PriceSnapshot, tierOfCall, tierRatio, withServiceTier } from '../billing/index.ts';
import type { Answering } from './asked.ts';
import type { Call } from './call.ts';
import { families } from './families/index.ts';
import { localFault } from './faults.ts';
import type { Inquiry } from './inquiry.ts';
import { quoted } from './priced-names.ts';

type Ratios = Call['snapshot']['options']['ServiceTierRatio'];

/** Members that choose how a call is served, by `foldedName`: as they must be spelled, and what they choose. */
const choosing = new Map(
  (
    [
      ['service_tier', 'service_tier'],
      // Gemini's body is read in either spelling.
      ['serviceTier', 'service_tier'],
      ['speed', 'speed'],
      ['inference_geo', 'inference_geo'],
    ] as const
  ).map(([name, choice]) => [foldedName(name), { name, choice }]),
);
const longestWord = 64;

/**
 * How a call asks to be served where that may cost more; undefined = as all are. Throws RelayFault for what has no price, is
 * spelled in another way, or said twice (decisions 0071, 0123).
 */
export function choicesOf({ bytes, peek, protocol }: Inquiry, ratios: Ratios): Choices | undefined {
  const choices: { -readonly [Choice in keyof Choices]: string } = {};
  for (const member of peek.scan.members) {
    const known = choosing.get(foldedName(member.key));
    // Sound has a speed, too.
    if (known === undefined || member.kind === 'null' || (known.choice === 'speed' && families.has(protocol))) continue;
    const { name, choice } = known;
    if (member.key !== name) throw refused(member.key, `must be spelled ${quoted(name)}`);
    const word = memberText(bytes, member, longestWord)
      ?.toLowerCase()
      .replace(/^service_tier_/, '');
    if (word === undefined) throw refused(name, 'must be a short text');
    if (choices[choice] !== undefined) throw refused(name, 'must be said once');
    if (tierRatio(ratios, peek.model, word) === undefined) throw refused(name, `${quoted(word)} has no price here`);
    choices[choice] = word;
  }
  return Object.keys(choices).length === 0 ? undefined : choices;
}

function refused(name: string, why: string) {
  return localFault('invalid_request', { reason: `${quoted(name)} ${why}` }, { param: name });
}

/** The price of a call that has yet to be answered: at what it chose, and never below the plain one. */
export function asChosen(price: PriceSnapshot, ratios: Ratios, choices: Choices | undefined): PriceSnapshot {
  return choices === undefined ? price : withServiceTier(price, tierOfCall(ratios, price.model, choices));
}

/**
 * The call at the price of how it was served. What its upstream was not asked for, because its dialect has no word for it or
 * the operator overrides it, was not chosen, unless the answer tells of it: callers can name what they like among the losses.
 */
export function asServed(call: Call, by: Answering | undefined, served: chat.Served = {}): Call {
  if (call.choices === undefined) return call;
  const unsaid = new Set([...(by?.outgoing.losses ?? []), ...Object.keys(by?.target.channel.paramOverride ?? {})]);
  if (unsaid.has('serviceTier')) unsaid.add('service_tier');
  const told: Choices = {
    service_tier: served.serviceTier?.toLowerCase(),
    speed: served.speed?.toLowerCase(),
    inference_geo: served.inferenceGeo?.toLowerCase(),
  };
  const wasAsked = (choice: string) => !unsaid.has(choice) || told[choice as keyof Choices] !== undefined;
  const asked = Object.fromEntries(Object.entries(call.choices).filter(([choice]) => wasAsked(choice)));
  const tier = tierOfCall(call.snapshot.options.ServiceTierRatio, call.model, asked, told);
  const price = withServiceTier(call.price, tier);
  return price === call.price ? call : { ...call, price };
}
