export { applyConfig, ConfigRefused, countsOf } from './apply.ts';
export type { Change, FieldChange, Plan } from './change.ts';
export { exportConfig } from './export.ts';
export type { Fault } from './located.ts';
export { planFor, readConfig } from './plan.ts';
export { readPresent } from './present.ts';
export type { SecretForm } from './references.ts';
