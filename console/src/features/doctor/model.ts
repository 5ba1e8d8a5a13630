import type { DoctorCheck, DoctorGroup } from '@tollgate/contract';
import {
  doctor_group_channels,
  doctor_group_engine,
  doctor_group_exposure,
  doctor_group_host,
  doctor_group_money,
  doctor_group_nodes,
  doctor_group_people,
  doctor_group_upkeep,
  nav_setting,
} from '../../i18n/generated/messages.ts';

const labels: Readonly<Record<DoctorGroup, () => string>> = {
  host: doctor_group_host,
  exposure: doctor_group_exposure,
  engine: doctor_group_engine,
  money: doctor_group_money,
  channels: doctor_group_channels,
  people: doctor_group_people,
  settings: nav_setting,
  upkeep: doctor_group_upkeep,
  nodes: doctor_group_nodes,
};

/** Checks under the name of what they are about, in the order in which they came; a group of a newer server has its own name. */
export const groupsOf = (checks: readonly DoctorCheck[]) =>
  [...Map.groupBy(checks, ({ group }) => group)].map(([group, members]) => ({
    group,
    label: labels[group]?.() ?? group,
    members,
  }));

/** What is not as it should be: failures before warnings. */
export const worstFirst = (checks: readonly DoctorCheck[]): DoctorCheck[] => [
  ...checks.filter(({ level }) => level === 'fail'),
  ...checks.filter(({ level }) => level === 'warn'),
];
