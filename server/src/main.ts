// Before all that takes a while to load.
import './platform/first-process.ts';
import { EnvironmentError } from './env.ts';
import { serve } from './main-serve.ts';

// Whoever loads this file starts the server: not every runtime and process manager tells a program that it is the main one.
serve().catch((error: unknown) => {
  const text = error instanceof EnvironmentError ? `Wrong environment:\n  ${error.faults.join('\n  ')}` : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(error instanceof EnvironmentError ? 2 : 1);
});
