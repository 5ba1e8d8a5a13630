import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a document shows to be run or copied: a fenced block, or one command of a `sh` block or between backticks. */
export interface Shown {
  /** From the root, with forward slashes. */
  readonly file: string;
  readonly line: number;
  /** Of the block; `sh` for commands. */
  readonly language: string;
  readonly text: string;
  /** Why nobody can run it here: `sh not-run="..."`. */
  readonly reason: string | undefined;
}

const programs = /^(?:[A-Z_]+=\S+ )*(?:npm|npx|node|tollgate|curl|docker|apt-get|pg_dump|pg_restore|cd|sudo|systemctl) \S/;

/** README, CONTRIBUTING and everything in docs/. What decisions name in passing belongs to their day. */
export function documents(root: string): string[] {
  const inDocs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const names = inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name.replaceAll('\\', '/')}`);
  return ['README.md', 'CONTRIBUTING.md', ...names.toSorted()];
}

export function shownIn(root: string, file: string): Shown[] {
  return shownInText(file, readFileSync(path.join(root, file), 'utf8'));
}

/** All blocks but those of shells, and each single command. */
export function shownInText(file: string, text: string): Shown[] {
  const found: Shown[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*```(.*)$/.exec(lines[at] ?? '');
    if (fence === null) {
      if (!file.startsWith('docs/decisions/')) found.push(...commandsBetweenBackticks(file, at + 1, lines[at] ?? ''));
      continue;
    }
    const end = lines.findIndex((line, index) => index > at && /^\s*```\s*$/.test(line));
    if (end === -1) throw new Error(`${file}:${at + 1} a block without an end`);
    const [, language = '', reason] = /^(\S*)(?:\s+not-run="([^"]+)")?\s*$/.exec(fence[1] ?? '') ?? [];
    const block = { file, line: at + 1, language, reason, text: lines.slice(at + 1, end).join('\n') };
    found.push(...(language === 'sh' ? commandsOf(block) : [block]));
    at = end;
  }
  return found;
}

function commandsBetweenBackticks(file: string, line: number, text: string): Shown[] {
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  return spans
    .filter((span) => programs.test(span))
    .map((span) => ({ file, line, language: 'sh', reason: undefined, text: span }));
}

/** One command per line; a backslash at the end goes on with the next line. */
function commandsOf(block: Shown): Shown[] {
  const commands: Shown[] = [];
  let begun = '';
  block.text.split('\n').forEach((raw, index) => {
    const line = raw.replace(/\s+#\s.*$/, '').replace(/^#.*$/, '');
    if (line.endsWith('\\')) begun += line.slice(0, -1);
    else {
      const text = `${begun}${line}`.replace(/\s+/g, ' ').trim();
      if (text !== '') commands.push({ ...block, line: block.line + 1 + index, text });
      begun = '';
    }
  });
  return commands;
}
