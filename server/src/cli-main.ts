import { runCli } from './cli.ts';
import { systemClock } from './platform/clock.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  clock: systemClock,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
