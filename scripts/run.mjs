// Behind every npm script. Runs on Node 20 with nothing installed: installs what is missing, then continues on Node 24.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from './launch/children.mjs';
import { ensureDependencies } from './launch/dependencies.mjs';
import { childEnvironment, chooseNode } from './launch/node.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const commands = ['start', 'demo', 'dev', 'build', 'check', 'test', 'look', 'soak', 'bench'];

/** @param {string[]} argv */
async function main(argv) {
  const [command = '', ...args] = argv;
  if (!commands.includes(command)) {
    console.error(`Usage: npm run <${commands.join(' | ')}>`);
    return 2;
  }
  await ensureDependencies(root);
  const node = chooseNode(root);
  if (node !== process.execPath) {
    if (process.env.TOLLGATE_RELAUNCHED === node) throw new Error(`${node} starts a different Node than itself`);
    const env = { ...childEnvironment(root, node), TOLLGATE_RELAUNCHED: node };
    return runChild(node, [fileURLToPath(import.meta.url), ...argv], { cwd: root, env });
  }
  delete process.env.TOLLGATE_RELAUNCHED;
  Object.assign(process.env, childEnvironment(root, node));
  process.chdir(root);
  const { run } = await import(`./commands/${command}.ts`);
  return run({ root, args });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`tollgate: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
