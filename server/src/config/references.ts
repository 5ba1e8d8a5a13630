import { variables } from '../env.ts';
import { type Crypto, SealError } from '../platform/crypto.ts';
import type { Located } from './located.ts';
import { Secret, type Value } from './value.ts';

/** How an export writes secrets: sealed by the master key, as a name in the environment, or not at all. */
export type SecretForm = 'sealed' | 'env' | 'none';

/** What opens references. */
export interface References {
  readonly crypto: Crypto;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Is this written like a reference? */
export function isReference({ value }: Located): boolean {
  return value instanceof Map && value.size === 1 && (value.has('sealed') || value.has('env') || value.has('keep'));
}

/** The secret that a reference means, or what is wrong with it. `binding` names the place that it may be sent to. */
export function readReference({ crypto, env }: References, { value }: Located, binding: string): Secret | string {
  const members = value instanceof Map ? value : new Map<string, never>();
  const [first] = members;
  const text = first?.[1].at.value;
  if (members.size !== 1 || typeof text !== 'string') return notPlain;
  if (first?.[0] === 'env') return fromEnvironment(env, text);
  if (first?.[0] !== 'sealed') return notPlain;
  try {
    return new Secret(crypto.open(text, binding));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const isMoved = error.message.includes('moved');
    return isMoved
      ? 'this was sealed for another place or address, or changed: give it by { env: NAME }'
      : `cannot be opened: ${error.message}`;
  }
}

const notPlain = 'a secret stands here as { sealed: ... } or { env: NAME }, never in plain';

/** What a server's own settings hold is none of a channel's business. */
function fromEnvironment(env: References['env'], name: string): Secret | string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return 'not a name of an environment variable';
  if (Object.hasOwn(variables, name)) return `${name} belongs to the server itself`;
  const found = env[name];
  if (found === undefined || found.trim() === '') return `the environment has no ${name}`;
  return new Secret(found);
}

/** How an export writes one secret: where it may be sent, and what its variable would be called. */
export interface SecretPlace {
  readonly binding: string;
  readonly variable: string;
}

/** Writes secrets in one form. Throws when one does not open, and names it. */
export function referenceWriter(form: SecretForm, crypto: Crypto): (secret: Secret, place: SecretPlace) => Value {
  const used = new Set<string>();
  const free = (name: string): string => {
    let chosen = name;
    for (let count = 2; used.has(chosen); count += 1) chosen = `${name}_${count}`;
    used.add(chosen);
    return chosen;
  };
  return (secret, { binding, variable }): Value => {
    if (form === 'none') return { keep: true };
    if (form === 'env') return { env: free(variable) };
    const plain = secret.plain();
    if (plain === undefined)
      throw new Error(`The secret for ${variable} does not open with this master key: enter it anew, or use --secrets env`);
    return { sealed: crypto.sealAlike(plain, binding) };
  };
}
