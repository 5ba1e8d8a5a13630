import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
/** As in docs/operations.md. */
const command = 'npm sbom --sbom-format cyclonedx --package-lock-only';
/** While it runs, no time-out of a test is looked at. */
const commandMs = 60_000;

interface Component {
  readonly purl: string;
  readonly properties?: readonly { readonly name: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly components: readonly Component[];
}

interface Locked {
  readonly version?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Where a package's dependency lies: the nearest folder that has it. */
function placeOf(from: string, name: string): string | undefined {
  const parts = from.split('/node_modules/');
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/node_modules/'));
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`].find(
    (place) => place in packages,
  );
}

/** What is installed without dependencies for developers, found by walking and not by npm's own marks. */
function production(): Set<string> {
  const found = new Set<string>();
  const waiting = ['contract', 'wire', 'server', 'console'];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const { dependencies = {}, optionalDependencies = {} } = packages[from] ?? {};
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]) {
      const place = placeOf(from, name);
      if (place === undefined || packages[place]?.link || found.has(place)) continue;
      found.add(place);
      waiting.push(place);
    }
  }
  return found;
}

test('the bill of materials names every package that the product is made of, and marks what is for developers only', () => {
  expect(readFileSync(path.join(root, 'docs/operations.md'), 'utf8')).toContain(`\n${command} > `);
  const [program = '', ...args] = command.split(' ');
  const text = execFileSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, timeout: commandMs });
  const bill = JSON.parse(text) as Bill;
  expect(bill.bomFormat).toBe('CycloneDX');
  const isForDevelopers = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const nameOf = ({ purl }: Component) => decodeURIComponent(purl).split('?')[0] ?? '';
  const named = new Set(bill.components.filter((component) => !isForDevelopers(component)).map(nameOf));
  const wanted = [...production()].map((place) => `pkg:npm/${place.split('node_modules/').at(-1)}@${packages[place]?.version}`);
  expect(wanted.length).toBeGreaterThan(100);
  expect(wanted.filter((purl) => !named.has(purl))).toEqual([]);
  expect([...named].filter((purl) => /^pkg:npm\/(vitest|typescript|knip|playwright-core)@/.test(purl))).toEqual([]);
});

test('every package of the lock file comes with the hash of its content', () => {
  const fetched = Object.entries(packages).filter(([place, { link }]) => place.includes('node_modules/') && !link);
  expect(fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place)).toEqual([]);
  expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
});
