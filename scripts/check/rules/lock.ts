import type { Finding } from '../finding.ts';

/** Of a lock file what is looked at. */
export interface LockFile {
  readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/** The last resort of packages with binaries; none of our platforms needs it. */
const lastResort = /-wasm32-/;

/**
 * Refuses a lock file in which another platform's binary is missing: npm takes what is optional and not in it for what there is
 * no need of, so that nothing starts on that platform. It happens where the registry does not have the binary when the file is written.
 */
export function checkLock(path: string, { packages }: LockFile): Finding[] {
  return Object.entries(packages).flatMap(([where, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !lastResort.test(name) && !places(where, name).some((place) => place in packages))
      .map((name) => ({
        path,
        line: 0,
        message: `has no ${name}, which ${where === '' ? 'package.json' : where} wants where it fits: lock it too`,
      })),
  );
}

/** Where a package is looked for, the nearest folder first. */
function places(where: string, name: string): string[] {
  const folders = where === '' ? [] : where.split('/node_modules/');
  const above = folders.map(
    (_, index) => `${folders.slice(0, folders.length - index).join('/node_modules/')}/node_modules/${name}`,
  );
  return [...above, `node_modules/${name}`];
}
