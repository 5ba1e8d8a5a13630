import type { SourceFile } from '../../source-files.ts';
import { type Finding, isTestFile, lineAt, literals, withoutComments } from '../finding.ts';

const tables = 'wallet|transfer|hold';
const columns = 'available|held|remain_quota|held_quota|granted_quota|used_quota';

/** Kysely statements that write one of the ledger's tables. */
const tableWrite = new RegExp(`\\.(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\\(\\s*['"\`](?:${tables})\\b`, 'g');
/** Raw SQL that does. */
const rawTableWrite = new RegExp(
  `\\b(?:insert\\s+(?:or\\s+\\w+\\s+)?into|update|delete\\s+from|replace\\s+into)\\s+"?(?:${tables})\\b`,
  'i',
);
/** Raw SQL that sets a balance column of another table. */
const rawColumnWrite = new RegExp(`\\b(?:update|insert\\s+into)\\b[\\s\\S]*\\b(?:${columns})\\b`, 'i');
const builderStart = /\.(?:insertInto|updateTable)\(/g;
const columnKey = new RegExp(`(?<![.\\w])(?:${columns})\\b['"]?\\s*:`);
/** These two are in no answer of the API: naming them means writing or judging a balance. */
const innerColumn = /\b(?:granted_quota|held_quota)\b/g;

const advice = 'only server/src/billing/ touches balances; call its exported functions';

/** Refuses every write of a balance outside of billing/ (schema and migrations live in storage/). */
export function checkBalances(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(({ path }) => /^(server|scripts)\/.*\.ts$/.test(path) && !/^server\/src\/(billing|storage)\//.test(path))
    .filter(({ path }) => !isTestFile(path) && !path.startsWith('scripts/check/'))
    .flatMap(findingsOf);
}

function findingsOf({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  const at = (offset: number, what: string): Finding => ({ path, line: lineAt(code, offset), message: `${what}: ${advice}` });
  const builders = [...code.matchAll(builderStart)]
    .map((match) => ({ offset: match.index, statement: statementFrom(code, match.index) }))
    .filter(({ statement }) => columnKey.test(statement));
  return [
    ...[...code.matchAll(tableWrite)].map((match) => at(match.index, 'writes a table of the ledger')),
    ...literals(code)
      .filter((literal) => rawTableWrite.test(literal.text) || rawColumnWrite.test(literal.text))
      .map((literal) => at(literal.offset, 'writes a balance in SQL')),
    ...builders.map(({ offset }) => at(offset, 'sets a balance column')),
    ...[...code.matchAll(innerColumn)].map((match) => at(match.index, `names the column ${match[0]}`)),
  ];
}

/** From a builder call to the end of its statement: the first semicolon outside of brackets, or a closing bracket too many. */
function statementFrom(code: string, offset: number): string {
  let depth = 0;
  for (let at = offset; at < code.length; at += 1) {
    const character = code[at];
    if (character === '(' || character === '{' || character === '[') depth += 1;
    else if (character === ')' || character === '}' || character === ']') depth -= 1;
    if (depth < 0 || (depth === 0 && character === ';')) return code.slice(offset, at);
  }
  return code.slice(offset);
}
