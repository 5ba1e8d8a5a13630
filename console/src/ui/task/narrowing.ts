import { countFilters } from '../../api/page.ts';
import type { TaskListSearch } from './search.ts';

/** How many filters are set, and whether the list shows less than all of its usual range. */
export function narrowingOf({ p, size, from, to, ...filters }: TaskListSearch): { active: number; narrowed: boolean } {
  const active = countFilters(filters);
  return { active, narrowed: active > 0 || from !== undefined || to !== undefined };
}
