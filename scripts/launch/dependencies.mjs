import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChild } from './children.mjs';

const installTimeoutMs = 30 * 60_000;

/**
 * Makes node_modules match package-lock.json. Costs one hash when nothing changed; otherwise npm installs what the lock file says.
 * @param {string} root
 */
export async function ensureDependencies(root) {
  const lockText = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
  const fingerprint = createHash('sha256').update(`${process.platform} ${process.arch}\n${lockText}`).digest('hex');
  const stampPath = path.join(root, 'node_modules', '.tollgate-install');
  if (readIfPresent(stampPath) === fingerprint) return;
  const installed = readIfPresent(path.join(root, 'node_modules', '.package-lock.json'));
  if (installed === undefined || !lockIsInstalled(JSON.parse(lockText), JSON.parse(installed))) {
    const why = installed === undefined ? 'first start' : 'package-lock.json has changed';
    console.error(`Installing dependencies (${why}); this takes a minute or two ...`);
    const { file, args, shell } = npmCommand();
    // Engine warnings are expected on Node 20 and would bury what matters.
    // Not `npm ci`: it refuses a lock file that was written where some other platform's binary could not be looked up.
    const install = [...args, 'install', '--no-save', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error'];
    const code = await runChild(file, install, { cwd: root, shell, timeoutMs: installTimeoutMs });
    if (code !== 0)
      throw new Error(`npm install failed (exit code ${code}). Check the network or the npm registry setting, then repeat.`);
  }
  writeFileSync(stampPath, fingerprint);
}

/**
 * Whether everything the lock file wants is in npm's own record of node_modules. Optional packages may be absent.
 * @param {{packages: Record<string, LockEntry>}} lock
 * @param {{packages: Record<string, LockEntry>}} installed
 * @typedef {{version?: string, optional?: boolean, link?: boolean}} LockEntry
 */
export function lockIsInstalled(lock, installed) {
  return Object.entries(lock.packages).every(([where, wanted]) => {
    if (!where.includes('node_modules/')) return true;
    const present = installed.packages[where];
    if (present === undefined) return wanted.optional === true;
    return wanted.link === true || present.version === wanted.version;
  });
}

/** The npm that started us, on the Node that it runs on: the one in node_modules is about to be replaced. */
function npmCommand() {
  const { npm_execpath: npmPath, npm_node_execpath: npmNode } = process.env;
  if (npmPath?.endsWith('.js') && npmNode) return { file: npmNode, args: [npmPath], shell: false };
  return { file: 'npm', args: [], shell: process.platform === 'win32' };
}

/** @param {string} file */
function readIfPresent(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
