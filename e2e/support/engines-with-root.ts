import type { TestProject } from 'vitest/node';
import { setupWithRoot } from '../../server/test/global-setup.ts';
import { rootPassword } from './gateway.ts';

/** Databases with their tables and with root, as a first start makes them: it took each test a third of a second. */
export const setup = (project: TestProject): Promise<() => Promise<void>> => setupWithRoot(project, rootPassword);
