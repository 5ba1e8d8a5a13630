// Before all that takes a while to load.
import './platform/first-process.ts';
import { runCli } from './cli.ts';
import { systemClock } from './platform/clock.ts';

// Where a reader has seen enough the command has done its work all the same.
let isUnwritten = false;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  isUnwritten = true;
  process.exitCode = 1;
  process.stderr.write(`What was to be printed could not be written: ${error.message}\n`);
});

const args = process.argv.slice(2);
const exitCode = await runCli(args, {
  env: process.env,
  clock: systemClock,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
process.exitCode = isUnwritten ? 1 : exitCode;
// What a server that could not start has opened by then would go on, and keep its data folder from the next one.
if (args[0] === 'serve' && exitCode !== 0) process.exit();
