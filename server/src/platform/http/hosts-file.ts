import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

export interface Address {
  readonly address: string;
  readonly family: number;
}

const systemFile =
  process.platform === 'win32' ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';
const lookAgainMs = 5_000;
const loopback: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * What this machine says of names by itself: its hosts file, and that localhost is here; empty = nothing. The file is small
 * and read without the thread pool, which must not be waited for here.
 */
export function createHostsFile(nowMs: () => number, file = systemFile): (name: string) => readonly Address[] {
  let entries: ReadonlyMap<string, readonly Address[]> = new Map();
  let lookedMs = Number.NEGATIVE_INFINITY;
  let version = '';
  const refresh = () => {
    if (nowMs() - lookedMs < lookAgainMs) return;
    lookedMs = nowMs();
    try {
      const { mtimeMs, size, ino } = statSync(file);
      if (version === `${mtimeMs} ${size} ${ino}`) return;
      entries = parse(readFileSync(file, 'utf8'));
      version = `${mtimeMs} ${size} ${ino}`;
    } catch {
      // Without the file the name servers know all.
      entries = new Map();
      version = '';
    }
  };
  return (name) => {
    refresh();
    return entries.get(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? loopback : []);
  };
}

function parse(text: string): Map<string, Address[]> {
  const entries = new Map<string, Address[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((each) => each.toLowerCase()))
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
  }
  return entries;
}
