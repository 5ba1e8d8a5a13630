import path from 'node:path';
import type { SourceFile } from '../../source-files.ts';
import { type Finding, isTestFile, lineAt, withoutComments } from '../finding.ts';
import { areaOf, domains, mayImport } from './layers.ts';

export interface Import {
  readonly from: string;
  readonly line: number;
  /** Path of the imported file when it is ours. */
  readonly to: string;
  readonly specifier: string;
}

/** They reach into sources that no package exports. */
const toolWorkspaces = ['scripts', 'bench', 'e2e'];

const statements = [
  /^(?:import|export) (?:type )?(?:[\w$*{}\s,]+ )?from '([^'\n]+)'/gm,
  /^import '([^'\n]+)'/gm,
  /\bimport\(\s*'([^'\n]+)'/g,
  /\bnew URL\(\s*'(\.[^'\n]+\.tsx?)',\s*import\.meta\.url/g,
];

/** Our own modules that a file refers to: static, dynamic and type imports, re-exports, worker entries. */
export function importsOf(file: SourceFile): Import[] {
  const code = withoutComments(file.text);
  return statements.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap((match) => {
      const specifier = match[1] ?? '';
      const to = resolveOwn(file.path, specifier);
      return to === undefined ? [] : [{ from: file.path, line: lineAt(code, match.index), to, specifier }];
    }),
  );
}

function resolveOwn(from: string, specifier: string): string | undefined {
  const own = /^@tollgate\/(\w+)(\/.*)?$/.exec(specifier);
  if (own !== null) return `${own[1]}/src${own[2] ?? '/index.ts'}`;
  if (specifier.startsWith('@/')) return `console/src/${specifier.slice(2)}`;
  if (!specifier.startsWith('.')) return undefined;
  return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier.replace(/\?.*$/, '')));
}

/** Refuses imports against the direction of the layers. */
export function checkDirection(files: readonly SourceFile[]): Finding[] {
  return files.flatMap((file) => importsOf(file).flatMap((found) => explain(found) ?? []));
}

function explain({ from, line, to, specifier }: Import): Finding | undefined {
  const refuse = (message: string): Finding => ({ path: from, line, message: `imports ${specifier}: ${message}` });
  const source = areaOf(from);
  const target = areaOf(to);
  if (isTestFile(from) && source !== 'e2e') return undefined;
  if (isTestFile(to) && target !== 'e2e' && source !== 'e2e') return refuse('code that ships must not depend on tests');
  if (source === target) return undefined;
  const allowed = mayImport[source];
  if (allowed === undefined)
    return refuse(`${source} is not a known area; add it to scripts/check/rules/layers.ts and docs/architecture.md`);
  if (!allowed.includes(target))
    return refuse(`${source} may import ${allowed.join(', ') || 'nothing of ours'}; move the shared part down or pass it in`);
  const crossesWorkspace = source.split('/')[0] !== target.split('/')[0];
  if (crossesWorkspace && specifier.startsWith('.') && !toolWorkspaces.includes(source)) {
    return refuse('other workspaces are imported by their package name');
  }
  if (domains.includes(source) && domains.includes(target) && !isDoor(from, to)) {
    return refuse(
      "domain folders see each other through index.ts (what runs in the writer's thread, works*.ts, through works.ts); export what you need from there",
    );
  }
  return undefined;
}

/** The face of a domain folder. The writer's thread loads as little as it can: its files have a face of their own. */
function isDoor(from: string, to: string): boolean {
  const isInThread = /^server\/src\/\w+\/works(-[\w-]+)?\.ts$/.test(from);
  return /^server\/src\/\w+\/index\.ts$/.test(to) || (isInThread && /^server\/src\/\w+\/works\.ts$/.test(to));
}

/** Refuses every cycle of imports, type imports included. Names one closed path per cycle. */
export function checkCycles(files: readonly SourceFile[]): Finding[] {
  const graph = new Map(files.map((file) => [file.path, importsOf(file)]));
  const state = new Map<string, 'open' | 'done'>();
  const trail: string[] = [];
  const findings: Finding[] = [];
  const visit = (node: string): void => {
    state.set(node, 'open');
    trail.push(node);
    for (const { to, line } of graph.get(node) ?? []) {
      if (state.get(to) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(to)), to];
        findings.push({ path: node, line, message: `import cycle: ${cycle.join(' -> ')}` });
      } else if (graph.has(to) && !state.has(to)) visit(to);
    }
    trail.pop();
    state.set(node, 'done');
  };
  for (const node of graph.keys()) if (!state.has(node)) visit(node);
  return findings;
}
