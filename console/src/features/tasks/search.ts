import { type RawSearch, textParam } from '../../lib/search.ts';
import { readTaskListSearch, type TaskListSearch } from '../../ui/task/search.ts';

export interface TaskLogSearch extends TaskListSearch {
  platform?: string;
}

export const readTaskSearch = (raw: RawSearch): TaskLogSearch => ({
  ...readTaskListSearch(raw),
  platform: textParam(raw.platform, 32),
});
