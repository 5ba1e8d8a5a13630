#!/usr/bin/env node
// The command line inside a checkout. Runs on any Node, continues on the one that came with the dependencies.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runChild } from '../../scripts/launch/children.mjs';
import { childEnvironment, chooseNode } from '../../scripts/launch/node.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const cli = path.join(root, 'server', 'src', 'cli-main.ts');

try {
  const node = chooseNode(root);
  // From the root, so that the default ./data is the folder that `npm start` uses.
  const env = { ...childEnvironment(root, node), TOLLGATE_CALLED_IN: process.cwd() };
  process.exitCode = await runChild(node, [cli, ...process.argv.slice(2)], { cwd: root, env });
} catch (error) {
  console.error(`tollgate: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
