export { createDoctor, type Doctor } from './doctor.ts';
export { readStoredOptions } from './facts/settings.ts';
export type { World } from './world.ts';
