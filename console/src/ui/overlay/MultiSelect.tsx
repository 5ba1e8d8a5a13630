import { Combobox } from '@base-ui/react/combobox';
import { Check, X } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { multi_earlier, multi_empty, multi_limit, multi_remove } from '../../i18n/generated/messages.ts';
import { contains } from '../../lib/fuzzy.ts';
import { formatUnits } from '../../lib/money.ts';
import type { ControlProps } from '../Field.tsx';
import { useKeptChoice } from './keepChoice.ts';

interface Props {
  control: ControlProps;
  /** What can be chosen; chosen values that are not among them stay and are shown. */
  options: readonly string[];
  value: readonly string[];
  onChange(value: string[]): void;
  placeholder?: string;
}

const maxShown = 100;
const chipsAtOnce = 100;

/** The chosen values as chips: of thousands the last ones, and more of them by the hundred. */
function useChips({ value, onChange }: Pick<Props, 'value' | 'onChange'>) {
  const [shown, setShown] = useState(chipsAtOnce);
  const earlier = Math.max(0, value.length - shown);
  // The library takes the n-th chip for the n-th value: those without one stand behind.
  const turned = useMemo(() => [...value.slice(earlier), ...value.slice(0, earlier)], [value, earlier]);
  const change = (next: readonly string[]) => {
    const [before, after] = [new Set(value), new Set(next)];
    onChange([...value.filter((item) => after.has(item)), ...next.filter((item) => !before.has(item))]);
  };
  return { earlier, chips: turned.slice(0, shown), turned, change, more: () => setShown(shown + chipsAtOnce) };
}

/** Several of many: chips, and a list that narrows while one types. */
export function MultiSelect({ control, options, value, onChange, placeholder }: Props) {
  const kept = useKeptChoice();
  const box = useRef<HTMLDivElement>(null);
  const { earlier, chips, turned, change, more } = useChips({ value, onChange });
  const items = useMemo(() => [...new Set([...options, ...value])], [options, value]);
  return (
    <Combobox.Root
      multiple
      items={items}
      value={turned}
      onValueChange={change}
      filter={contains}
      limit={maxShown}
      autoHighlight
      {...kept.root}
    >
      <Combobox.Chips
        ref={box}
        className="control flex h-auto max-h-44 min-h-8 flex-wrap items-center gap-1 overflow-y-auto py-1 pl-1 max-sm:min-h-10"
      >
        {earlier > 0 && (
          <button type="button" className="chip" onClick={more}>
            {multi_earlier({ count: formatUnits(earlier) })}
          </button>
        )}
        {chips.map((item) => (
          <Combobox.Chip
            key={item}
            aria-label={item}
            className="flex h-6 max-w-full items-center rounded-sm bg-grey-tint pl-1.5 text-xs outline-none data-highlighted:bg-accent-tint focus-within:bg-accent-tint"
          >
            <span className="truncate">{item}</span>
            <Combobox.ChipRemove
              aria-label={multi_remove({ item })}
              className="grid size-6 shrink-0 place-items-center text-muted hover:text-fg"
            >
              <X size={12} aria-hidden />
            </Combobox.ChipRemove>
          </Combobox.Chip>
        ))}
        <Combobox.Input
          {...control}
          {...kept.input}
          placeholder={value.length === 0 ? placeholder : undefined}
          className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none placeholder:text-muted"
        />
      </Combobox.Chips>
      <Combobox.Portal>
        <Combobox.Positioner anchor={box} sideOffset={4} className="z-40 outline-none">
          <Combobox.Popup className="max-h-[min(320px,var(--available-height))] w-(--anchor-width) overflow-y-auto rounded-lg bg-raised p-1 text-fg text-sm shadow-overlay">
            <Combobox.Empty className="px-2 py-3 text-muted empty:hidden">{multi_empty()}</Combobox.Empty>
            <Combobox.List>
              {(item: string) => (
                <Combobox.Item
                  key={item}
                  value={item}
                  className="flex min-h-7 cursor-default select-none items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-grey-tint max-sm:min-h-10"
                >
                  <span className="grid size-4 shrink-0 place-items-center">
                    <Combobox.ItemIndicator>
                      <Check size={14} aria-hidden className="text-accent" />
                    </Combobox.ItemIndicator>
                  </span>
                  {item}
                </Combobox.Item>
              )}
            </Combobox.List>
            {items.length > maxShown && <p className="px-2 py-1.5 text-muted">{multi_limit({ count: maxShown })}</p>}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
