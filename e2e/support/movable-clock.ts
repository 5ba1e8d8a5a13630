import { readFileSync } from 'node:fs';

/** Loaded before a server (`--import`): at SIGUSR2 the machine's clock moves to what the file CLOCK_SKEW_FILE says, in milliseconds ahead. */
const RealDate = Date;
let skewMs = 0;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + skewMs] : args, newTarget) as object,
  get: (target, name, receiver) =>
    name === 'now' ? () => RealDate.now() + skewMs : (Reflect.get(target, name, receiver) as unknown),
});

process.on('SIGUSR2', () => {
  skewMs = Number(readFileSync(process.env.CLOCK_SKEW_FILE ?? '', 'utf8'));
});
