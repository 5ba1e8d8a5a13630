import {
  asciiJson,
  type HoldNote,
  type OwnNote,
  type PriceSnapshot,
  priceName,
  type SharedNote,
  type Usage,
} from '../billing/index.ts';
import type { Call } from './call.ts';
import { logContent, logFields } from './log-texts.ts';

type Key = Call['key'];
interface Written {
  readonly of: Omit<SharedNote, 'price'>;
  readonly text: string;
}

/** The latest of each price and key: calls alike have one text object between them. */
const written = new WeakMap<PriceSnapshot, WeakMap<Key, Written>>();

/** What a sweep would book for a call whose process died: the likely prompt. */
export function noteHold(call: Call, usage: Usage): HoldNote {
  const own: OwnNote = { ip: call.ip, prompt: usage.prompt, unitsNano: usage.unitsNano };
  return { shared: sharedText(call, usage), own: JSON.stringify(own) };
}

function sharedText(call: Call, usage: Usage): string {
  const { price, key } = call;
  const ofPrice = written.get(price) ?? new WeakMap<Key, Written>();
  const of = shared(call, usage);
  const known = ofPrice.get(key);
  if (known !== undefined && isSame(known.of, of)) return known.text;
  const text = asciiJson({ ...of, price } satisfies SharedNote);
  ofPrice.set(key, { of, text });
  written.set(price, ofPrice);
  return text;
}

function shared(call: Call, usage: Usage): Omit<SharedNote, 'price'> {
  const { key, group, isStream, price, picture } = call;
  // Without the log the books still want the amounts (rulings 3).
  const isLogged = call.snapshot.options.LogConsumeEnabled;
  return {
    username: key.user.username,
    tokenName: key.tokenName,
    model: priceName(call.model),
    group,
    isStream,
    content: isLogged ? logContent(price, usage, picture) : '',
    other: isLogged ? `{${logFields(price, usage)}}` : '{}',
    hidden: isLogged ? undefined : true,
  };
}

/** Name and token are the key's own. */
function isSame(left: Written['of'], right: Written['of']): boolean {
  return (
    left.model === right.model &&
    left.group === right.group &&
    left.isStream === right.isStream &&
    left.content === right.content &&
    left.other === right.other &&
    left.hidden === right.hidden
  );
}
