import { Combobox } from '@base-ui/react/combobox';
import { Check, ChevronDown } from 'lucide-react';
import { multi_empty } from '../../i18n/generated/messages.ts';
import type { ControlProps } from '../Field.tsx';
import { useKeptChoice } from './keepChoice.ts';

interface Option {
  value: number;
  label: string;
}

interface Props {
  control: ControlProps;
  options: readonly Option[];
  value: number;
  onChange(value: number): void;
}

/** One of many, with search. */
export function SearchSelect({ control, options, value, onChange }: Props) {
  const kept = useKeptChoice();
  const selected = options.find((option) => option.value === value) ?? null;
  return (
    <Combobox.Root
      items={options}
      value={selected}
      onValueChange={(option) => option && onChange(option.value)}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(a, b) => a.value === b.value}
      autoHighlight
      {...kept.root}
    >
      <div className="relative">
        <Combobox.Input {...control} {...kept.input} className="control pr-9" onFocus={(event) => event.currentTarget.select()} />
        <Combobox.Trigger tabIndex={-1} aria-hidden className="absolute inset-y-0 right-0 grid w-9 place-items-center text-muted">
          <ChevronDown size={15} />
        </Combobox.Trigger>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-40 outline-none">
          <Combobox.Popup className="max-h-[min(360px,var(--available-height))] w-(--anchor-width) overflow-y-auto rounded-lg bg-raised p-1 text-fg text-sm shadow-overlay">
            <Combobox.Empty className="px-2 py-3 text-muted empty:hidden">{multi_empty()}</Combobox.Empty>
            <Combobox.List>
              {(option: Option) => (
                <Combobox.Item
                  key={option.value}
                  value={option}
                  className="flex min-h-8 cursor-default select-none items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-grey-tint max-sm:min-h-10"
                >
                  <span className="grow truncate">{option.label}</span>
                  <Combobox.ItemIndicator>
                    <Check size={14} aria-hidden className="text-accent" />
                  </Combobox.ItemIndicator>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
