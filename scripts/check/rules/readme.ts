import type { Finding } from '../finding.ts';

interface Variable {
  readonly fallback?: string;
  readonly meaning: string;
}

const begin = '<!-- environment: printed from server/src/env.ts by `node scripts/print-environment.ts` -->';
const end = '<!-- /environment -->';

/** The environment table of the README. */
export function environmentTable(variables: Readonly<Record<string, Variable>>): string {
  const rows = Object.entries(variables).map(([name, { fallback, meaning }]) => {
    const shown = fallback === undefined || fallback === '' ? '' : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${meaning.replaceAll('|', '\\|')} |`;
  });
  return ['| Name | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** The README with the table put between its marks; undefined when a mark is missing. */
export function withEnvironmentTable(readme: string, variables: Readonly<Record<string, Variable>>): string | undefined {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from === -1 || to < from) return undefined;
  return `${readme.slice(0, from + begin.length)}\n${environmentTable(variables)}\n${readme.slice(to)}`;
}

/** Refuses a README whose environment table is not that of the schema. */
export function checkReadme(readme: string, variables: Readonly<Record<string, Variable>>): Finding[] {
  if (withEnvironmentTable(readme, variables) === readme) return [];
  return [
    {
      path: 'README.md',
      line: 0,
      message: 'its environment table differs from server/src/env.ts: run `node scripts/print-environment.ts`',
    },
  ];
}
