import { constants } from 'node:os';

/** SIGHUP: of a terminal that is closed. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

// The first process of a container is ended by no signal that it does not hear: what ends any other one at once ends it, too.
if (process.pid === 1) for (const signal of stopSignals) process.on(signal, () => process.exit(128 + constants.signals[signal]));
