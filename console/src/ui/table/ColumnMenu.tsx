import { Columns3 } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { columns_all, columns_choose } from '../../i18n/generated/messages.ts';
import { MenuButton } from '../MenuButton.tsx';
import { type MenuItem, openMenus } from '../overlays.ts';
import type { Column } from './columns.ts';
import { readPrefs, writePrefs } from './list-state.ts';

export interface ColumnChoice<T> {
  /** The columns that are shown, in the table's order. */
  shown: readonly Column<T>[];
  hidden: readonly string[];
  hide(ids: readonly string[]): void;
}

/** Which columns of a table are shown; remembered in the browser. */
export function useColumnChoice<T>(table: string, columns: readonly Column<T>[]): ColumnChoice<T> {
  const [hidden, setHidden] = useState<readonly string[]>(() => readPrefs(table).hidden ?? []);
  const shown = useMemo(() => columns.filter(({ id, fixed }) => fixed || !hidden.includes(id)), [columns, hidden]);
  return {
    shown,
    hidden,
    hide(ids) {
      writePrefs(table, { hidden: ids });
      setHidden(ids);
    },
  };
}

/** Chooses the columns of a table; the menu stays open while one chooses. */
export function ColumnMenu<T>({ columns, choice }: { columns: readonly Column<T>[]; choice: ColumnChoice<T> }) {
  const latest = useRef(choice);
  latest.current = choice;
  const items = (hidden: readonly string[]): MenuItem[] => {
    const put = (next: readonly string[]) => {
      latest.current.hide(next);
      const open = openMenus.get();
      if (open) openMenus.set({ ...open, items: items(next) });
    };
    const choices = columns.filter(({ fixed }) => !fixed);
    return [
      ...choices.map(({ id, header }) => ({
        key: id,
        label: header(),
        checked: !hidden.includes(id),
        stays: true,
        onSelect: () => put(hidden.includes(id) ? hidden.filter((other) => other !== id) : [...hidden, id]),
      })),
      { key: '', label: columns_all(), separated: true, disabled: hidden.length === 0, onSelect: () => latest.current.hide([]) },
    ];
  };
  return (
    <MenuButton label={columns_choose()} items={() => items(latest.current.hidden)}>
      <Columns3 size={16} aria-hidden />
    </MenuButton>
  );
}
