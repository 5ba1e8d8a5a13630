import { setImmediate as turn } from 'node:timers/promises';

/** Some milliseconds' worth of rows. */
const rowsAtOnce = 5_000;

/** As JSON; long lists among the members in pieces, between which calls go on. */
export async function longJson(value: Readonly<Record<string, unknown>>): Promise<string> {
  const isLong = (member: unknown): member is unknown[] => Array.isArray(member) && member.length > rowsAtOnce;
  if (!Object.values(value).some(isLong)) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    members.push(`${JSON.stringify(name)}:${isLong(member) ? await inPieces(member) : JSON.stringify(member)}`);
  }
  return `{${members.join(',')}}`;
}

async function inPieces(rows: readonly unknown[]): Promise<string> {
  const texts: string[] = [];
  for (let at = 0; at < rows.length; at += rowsAtOnce) {
    texts.push(JSON.stringify(rows.slice(at, at + rowsAtOnce)).slice(1, -1));
    await turn();
  }
  return `[${texts.join(',')}]`;
}
