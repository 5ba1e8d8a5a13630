import type { TestProject } from 'vitest/node';
import { setupWithRoot } from '../../server/test/global-setup.ts';
import { rootSession } from './console-client.ts';
import { rootPassword } from './gateway.ts';

/**
 * Databases with their tables, with root as a first start makes it, and with a session of root: the start took each test a
 * third of a second, and the sign-in a tenth, nearly all of it for the hash of the password.
 */
export const setup = (project: TestProject): Promise<() => Promise<void>> => setupWithRoot(project, rootPassword, rootSession);
