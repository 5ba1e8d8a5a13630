import { useQuery } from '@tanstack/react-query';
import { groupNamesQuery } from '../../api/channels.ts';
import { filter_group_all } from '../../i18n/generated/messages.ts';
import { FilterSelect } from './FilterSelect.tsx';

/** One of the groups, for administrators. An address may name one that is gone. */
export function GroupFilter({ group, onChange }: { group: string | undefined; onChange(group: string | undefined): void }) {
  const { data = [] } = useQuery(groupNamesQuery);
  const groups = group === undefined || data.includes(group) ? data : [group, ...data];
  return (
    <FilterSelect
      label={filter_group_all()}
      value={group}
      options={groups}
      textOf={(name) => name}
      onChange={onChange}
      className="w-32 max-sm:w-full"
    />
  );
}
