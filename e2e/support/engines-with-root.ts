import type { TestProject } from 'vitest/node';
import { createPasswords } from '../../server/src/identity/passwords.ts';
import { bootstrapRoot } from '../../server/src/identity/root.ts';
import { systemClock } from '../../server/src/platform/clock.ts';
import { prepareEngines } from '../../server/test/global-setup.ts';
import { rootPassword } from './gateway.ts';

/** Databases with their tables and with root, as a first start makes them: it took each test a third of a second. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  const passwords = createPasswords();
  return prepareEngines(project, (db) => bootstrapRoot({ db, clock: systemClock, passwords, initialPassword: rootPassword }));
}
