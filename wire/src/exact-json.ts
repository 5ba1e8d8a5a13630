/**
 * Reading JSON in which the arguments of tools keep integers that a double cannot hold: ids of other systems, which models
 * copy digit by digit and which mean somebody else when the last ones are lost. Elsewhere numbers are numbers.
 */

interface RawNumber {
  readonly rawJSON: string;
}

/** ECMAScript's raw JSON; a runtime without it reads such integers as it always did. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  readonly rawJSON?: (text: string) => RawNumber;
  readonly isRawJSON?: (value: unknown) => value is RawNumber;
};

/** Found fast, in texts and fractions too. */
const manyDigits = /\d{16}/;
/** Of what follows a bracket, a comma or a colon. */
const largeInteger = /(?:^|[[,:\s])-?\d{16,}(?![\d.eE])/;

/** Objects beside the name of a function, in any dialect: `input`, `args`, `arguments`; and what it answered. */
const spokenTo: ReadonlySet<string> = new Set(['input', 'args', 'arguments', 'response']);

/** The value of any JSON. Throws SyntaxError. */
export function readJson(text: string): unknown {
  return holdsLargeInteger(text) ? settled(JSON.parse(text, kept), false) : JSON.parse(text);
}

/** The value of JSON that is all arguments. Throws SyntaxError. */
export function readArguments(text: string): unknown {
  if (!holdsLargeInteger(text)) return JSON.parse(text);
  const value: unknown = JSON.parse(text, kept);
  return isRawJSON?.(value) ? Number(value.rawJSON) : value;
}

function holdsLargeInteger(text: string): boolean {
  return rawJSON !== undefined && manyDigits.test(text) && largeInteger.test(text);
}

function kept(_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown {
  const isLarge = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isLarge ? rawJSON?.(source) : value;
}

/** In place: what stands outside of arguments is a number again. */
function settled(value: unknown, isArgument: boolean): unknown {
  if (typeof value !== 'object' || value === null || isArgument) return value;
  if (isRawJSON?.(value)) return Number(value.rawJSON);
  const members = value as Record<string, unknown>;
  const isCall = typeof members.name === 'string';
  for (const [key, member] of Object.entries(members))
    members[key] = settled(member, isCall && spokenTo.has(key) && !Array.isArray(member));
  return value;
}
