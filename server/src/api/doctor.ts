import type { doctorRoutes } from '@tollgate/contract';
import type { Doctor } from '../doctor/index.ts';
import type { Handlers } from './types.ts';

export function doctorHandlers({ doctor }: { doctor: Doctor }): Handlers<typeof doctorRoutes> {
  return { report: ({ language }) => doctor.report(language) };
}
