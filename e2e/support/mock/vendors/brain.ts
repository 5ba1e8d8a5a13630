import { type Facts, type Piece, type Reply, type Told, wordsOf } from './facts.ts';
import { VendorError } from './strict.ts';

const greeting = 'Hello! How can I help you today?';
const counting = 'one two three four five six seven eight nine ten';
const thinking = 'The question is easy enough.';

/** A model that does what the last turn of its prompt says; a word is a token. */
export function replyTo(facts: Facts): Reply {
  const last = facts.turns.findLast(({ role }) => role === 'user')?.pieces ?? [];
  const said = last.flatMap((piece) => ('text' in piece ? [piece.text] : [])).join(' ');
  const status = /\bfail (\d{3})\b/.exec(said)?.[1];
  if (status !== undefined) throw new VendorError(Number(status), `the mock fails with ${status}`);
  const isThinking = facts.thinking !== undefined && facts.thinking.effort !== 'none';
  const thought = isThinking ? thinking : '';
  const calls = /\brefuse\b/.test(said) ? [] : callsOf(facts, last, said);
  const refusal = /\brefuse\b/.test(said) ? 'I cannot help with that.' : '';
  const full = calls.length > 0 || refusal !== '' ? '' : textOf(facts, last, said);
  const { text, finish, stopSequence } = limited(full, facts);
  const reasoning = wordsOf(thought).length;
  const spoken = calls.length > 0 ? 5 * calls.length : wordsOf(text || refusal).length * facts.choices;
  return {
    thought,
    text,
    calls,
    refusal,
    finish: calls.length > 0 ? 'calls' : refusal === '' ? finish : 'refusal',
    stopSequence,
    failsAfterWords: /\bbreak off\b/.test(said) ? 2 : undefined,
    told: toldOf(facts, said, spoken + reasoning, reasoning),
  };
}

function callsOf({ tools, choice, isParallel }: Facts, last: readonly Piece[], said: string): Reply['calls'] {
  if (choice === 'none' || tools.length === 0 || last.some((piece) => 'result' in piece)) return [];
  const wanted = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools;
  const isAsked = choice !== 'auto' || /\bcall (the tool|both)\b/.test(said);
  const count = !isAsked ? 0 : isParallel && /\bcall both\b/.test(said) ? 2 : 1;
  return wanted.slice(0, count).map(({ name, schema }) => ({ name, args: sample(schema) }));
}

function textOf({ schema }: Facts, last: readonly Piece[], said: string): string {
  if (schema !== undefined) return JSON.stringify(Object.keys(schema).length === 0 ? { ok: true } : sample(schema));
  const results = last.flatMap((piece) => ('result' in piece ? [piece.result] : []));
  if (results.length > 0) return `The tools say: ${results.join(' and ')}`;
  const media = last.flatMap((piece) =>
    'image' in piece ? [piece.image] : 'file' in piece ? [piece.file] : 'sound' in piece ? [piece.sound] : [],
  );
  if (media.length > 0) return `I got ${media.join(' and ')}`;
  if (/\brecite\b/.test(said)) return `${counting} ${counting}`;
  return /\bcount\b/.test(said) ? counting : greeting;
}

function limited(full: string, { stop, cap }: Facts): Pick<Reply, 'text' | 'finish' | 'stopSequence'> {
  const met = stop.map((sequence) => ({ sequence, at: full.indexOf(sequence) })).filter(({ at }) => at >= 0);
  const first = met.sort((a, b) => a.at - b.at)[0];
  const text = first === undefined ? full : full.slice(0, first.at);
  const words = wordsOf(text);
  if (cap !== undefined && words.length > cap)
    return { text: words.slice(0, cap).join(''), finish: 'length', stopSequence: null };
  return { text, finish: 'stop', stopSequence: first?.sequence ?? null };
}

/** Half of a prompt that says `known prefix` comes from the cache; a quarter of a marked one is written to it. */
function toldOf(facts: Facts, said: string, completion: number, reasoning: number): Told {
  const texts = [facts.system, ...facts.turns.flatMap(({ pieces }) => pieces.map((piece) => JSON.stringify(piece)))];
  const media = facts.turns.flatMap(({ pieces }) => pieces).filter((piece) => 'image' in piece || 'file' in piece).length;
  const prompt = 20 + texts.reduce((sum, text) => sum + wordsOf(text).length, 0) + 50 * media;
  const cached = /\bknown prefix\b/.test(said) ? Math.floor(prompt / 2) : 0;
  const quarter = Math.floor(prompt / 4);
  const has = (mark: '5m' | '1h') => (facts.marks.includes(mark) ? quarter : 0);
  return { prompt, cached, write5m: has('5m'), write1h: has('1h'), completion, reasoning };
}

const samples: Readonly<Record<string, unknown>> = { string: 'Paris', number: 21.5, integer: 3, boolean: true, null: null };

/** A value that a schema allows. */
export function sample(schema: unknown): unknown {
  const { type, properties, items, enum: values } = (schema ?? {}) as Record<string, unknown>;
  if (Array.isArray(values)) return values[0];
  const kind = String(Array.isArray(type) ? type[0] : (type ?? 'object')).toLowerCase();
  if (kind === 'array') return [sample(items)];
  if (kind !== 'object') return samples[kind];
  return Object.fromEntries(Object.entries((properties ?? {}) as object).map(([name, inner]) => [name, sample(inner)]));
}
