import { randomBytes } from 'node:crypto';
import { type Algorithm, hash as argonHash, verify as argonVerify } from '@node-rs/argon2';
import { compare as bcryptCompare } from 'bcryptjs';
import { PublicError } from '../platform/errors.ts';

export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

/** argon2id, 64 MiB, 3 passes, 1 lane. */
const defaultCost: PasswordCost = { memoryKiB: 65_536, passes: 3 };
const parallelHashes = 4;
const maxWaiting = 64;
const argon2id: Algorithm = 2;
/** Hashes that came with an import. Their cost is bounded: with a higher one a single sign-in would keep the process busy. */
const importedHash = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;
/** What an outsider is told to wait when the queue is full. */
const retryAfterSeconds = 5;

export interface Passwords {
  /** Throws PublicError `too_many_requests` when too many wait. */
  hash(password: string): Promise<string>;
  /** False for a wrong password and, after the same work, for a missing hash. Throws like `hash`. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
  /** True for a hash of another cost or another algorithm. */
  isOutdated(passwordHash: string): boolean;
}

/** Hashing costs 64 MiB each: a few run at once, a bounded number waits. */
export function createPasswords(cost: PasswordCost = defaultCost): Passwords {
  const options = { algorithm: argon2id, memoryCost: cost.memoryKiB, timeCost: cost.passes, parallelism: 1 };
  const gate = createGate(parallelHashes, maxWaiting);
  const nobodys = hashOfNothing(cost);
  return {
    hash: (password) => gate(() => argonHash(password, options)),
    verify: (passwordHash, password) =>
      gate(async () => {
        if (passwordHash !== undefined && isImportedHash(passwordHash)) return bcryptCompare(password, passwordHash);
        const known = passwordHash?.startsWith('$argon2id$') ? passwordHash : undefined;
        const matches = await argonVerify(known ?? nobodys, password);
        return known !== undefined && matches;
      }),
    isOutdated: (passwordHash) => !passwordHash.includes(`$m=${cost.memoryKiB},t=${cost.passes},p=1$`),
  };
}

/** What no password leads to, checked with the work of a real one. It is made up: to hash one would cost that work at every start. */
function hashOfNothing({ memoryKiB, passes }: PasswordCost): string {
  const text = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${text(16)}$${text(32)}`;
}

/** Whether a hash of another program can be verified here: bcrypt, of a cost that a sign-in may take. */
export function isImportedHash(passwordHash: string): boolean {
  return importedHash.test(passwordHash);
}

type Gate = <T>(work: () => Promise<T>) => Promise<T>;

function createGate(parallel: number, queueLimit: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= parallel) {
      if (waiting.length >= queueLimit) throw new PublicError('too_many_requests', {}, retryAfterSeconds);
      await new Promise<void>((start) => waiting.push(start));
    } else running++;
    try {
      return await work();
    } finally {
      // The place passes straight to the next one, so that no newcomer overtakes.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
