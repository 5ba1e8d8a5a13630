/**
 * The direction of imports, as in docs/architecture.md. An area may import itself and what is listed here; nothing else.
 */
const base = ['contract', 'wire', 'server/env'];
const ports = [...base, 'server/platform', 'server/storage'];
const domainFolders = [
  'audit',
  'settings',
  'identity',
  'billing',
  'routing',
  'tasks',
  'usage',
  'agents',
  'notify',
  'jobs',
  'doctor',
  'imports',
  'config',
];
export const domains = domainFolders.map((folder) => `server/${folder}`);
const surfaces = [...ports, ...domains, 'server/providers'];
const wholeServer = [...surfaces, 'server/relay', 'server/api', 'server/listener', 'server/console-files'];

export const mayImport: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  wire: [],
  console: ['contract'],
  'server/env': [],
  'server/start-flags': [],
  'server/platform': base,
  'server/storage': [...base, 'server/platform'],
  ...Object.fromEntries(domains.map((domain) => [domain, [...ports, ...domains]])),
  'server/providers': ['contract', 'wire', 'server/platform'],
  'server/relay': surfaces,
  'server/api': surfaces,
  'server/listener': [...surfaces, 'server/relay', 'server/api'],
  'server/console-files': ['server/platform', 'server/listener'],
  'server/main': [...wholeServer, 'server/start-flags'],
  'server/otel': ['server/platform'],
  'server/cli': [...wholeServer, 'server/main'],
  'server/cli-main': ['server/cli', 'server/platform'],
  e2e: ['contract', 'wire', 'server/main', 'server/env', 'server/start-flags', 'server/test'],
  bench: ['contract', 'wire', 'e2e'],
  scripts: [...wholeServer, 'server/start-flags', 'e2e'],
};

/**
 * The area of a file: its workspace, or for the server its folder in src (a file directly in src is an area of its own;
 * worker entries beside main.ts, like `main-worker.ts`, belong to main).
 */
export function areaOf(path: string): string {
  const [workspace = '', source, name = ''] = path.split('/');
  if (workspace !== 'server') return workspace;
  if (source !== 'src') return 'server/test';
  const area = name.replace(/(\.test)?\.tsx?$/, '');
  return area.startsWith('main') ? 'server/main' : `server/${area}`;
}
