import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { yieldToOthers } from '../launch/children.mjs';
import { describeFinding } from './finding.ts';
import { runOwnRules } from './own-rules.ts';

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
}

interface Tool {
  readonly name: string;
  /** What a refusal means and how to mend it. */
  readonly advice: string;
  readonly command: readonly string[];
}

interface Manner {
  /** The tools come after others on the processor. */
  readonly yields?: boolean;
}

const toolTimeoutMs = 120_000;
/** What the compiler looks at. Workspaces that have nothing but the common settings are one program: each reads most of the others' files. */
const programs = { products: 'tsconfig.node.json', console: 'console', scripts: 'scripts' };
/** Two cores are the smallest machine that this is measured on. */
const parallel = 3;

/** Runs every part of `npm run check`, prints what each refuses and why, and returns one result per part. */
export async function runChecks(root: string, manner: Manner = {}): Promise<CheckResult[]> {
  const queue = tools();
  const results = await generate(root, manner);
  const worker = async (): Promise<void> => {
    for (let tool = queue.shift(); tool !== undefined; tool = queue.shift()) results.push(await runTool(root, tool, manner));
  };
  const workers = Array.from({ length: parallel }, worker);
  for (const { name, findings } of runOwnRules(root)) {
    results.push({ name, ok: findings.length === 0 });
    if (findings.length > 0)
      console.log(`\nrefused by ${name}:\n${findings.map((each) => `  ${describeFinding(each)}`).join('\n')}`);
  }
  await Promise.all(workers);
  return results;
}

/** The console's message functions are generated and not in git; types and dead code need them. */
async function generate(root: string, manner: Manner): Promise<CheckResult[]> {
  const command = ['node', 'console/scripts/messages.mjs'];
  if (!existsSync(path.join(root, 'console/scripts/messages.mjs'))) return [];
  const advice = 'a text is missing or its parameters differ';
  return [await runTool(root, { name: 'message functions', advice, command }, manner)];
}

function tools(): Tool[] {
  return [
    ...Object.entries(programs).map(([name, project]) => ({
      name: `types ${name}`,
      advice: 'the compiler refuses this; no `any`, no casts around it',
      // Each further checker looks at much of what the others do again, and `parallel` tools run side by side anyway.
      command: ['tsc', '-p', project, '--pretty', 'false', '--checkers', '1'],
    })),
    {
      name: 'dead code',
      advice: 'knip found code, files or dependencies that nobody uses: remove them',
      command: ['knip', '--no-progress'],
    },
    {
      name: 'format and lint',
      advice: 'npm run format mends most of it',
      command: ['biome', 'check', '--error-on-warnings', '--max-diagnostics=50', '.'],
    },
  ];
}

/** Output is kept back until the end, so that parts that run side by side do not mix their lines. */
function runTool(root: string, { name, advice, command }: Tool, { yields = false }: Manner): Promise<CheckResult> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: toolTimeoutMs,
      shell: process.platform === 'win32',
    });
    if (yields) yieldToOthers(child);
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    const finish = (ok: boolean, text: string): void => {
      if (!ok) console.log(`\nrefused by ${name} (${advice}):\n${text.trimEnd()}`);
      resolve({ name, ok });
    };
    child.once('error', (error) => finish(false, `${program} could not be started: ${error.message}`));
    child.once('close', (code, signal) =>
      finish(code === 0, `${Buffer.concat(output).toString()}${signal === null ? '' : `\nstopped by ${signal}`}`),
    );
  });
}
