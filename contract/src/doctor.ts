import { data, defineRoute } from './route.ts';

/** What a check is about, in the order of the page. */
export const doctorGroups = ['host', 'exposure', 'engine', 'money', 'channels', 'people', 'settings', 'upkeep', 'nodes'] as const;
export type DoctorGroup = (typeof doctorGroups)[number];
export type DoctorLevel = 'ok' | 'warn' | 'fail';

/** One thing that can be wrong, in the language of the request. */
export interface DoctorCheck {
  id: string;
  group: DoctorGroup;
  level: DoctorLevel;
  title: string;
  /** What was found and what it means. */
  detail: string;
  /** What to do about it: a command, or a place in the console. */
  fix: string;
}

/** GET /api/doctor (contract 16.1). */
export interface DoctorReport {
  /** Nothing fails; there may be warnings. */
  ok: boolean;
  checked_at: number;
  checks: DoctorCheck[];
}

export const doctorRoutes = {
  report: defineRoute({ method: 'GET', path: '/api/doctor', access: 'root', data: data<DoctorReport>() }),
} as const;
