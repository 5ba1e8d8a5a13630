import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import { useAgentPages } from '../../api/agent.ts';
import { useSession } from '../../api/session.ts';
import { useStatus } from '../../api/status.ts';
import { palette_hint, palette_none, palette_search, palette_title } from '../../i18n/generated/messages.ts';
import { backdropClass } from '../../ui/overlay/Dialog.tsx';
import { kindLabels, type PaletteGroup, type PaletteItem, paletteGroups, placesFor } from './items.ts';
import { useRows, useSettingsPart } from './queries.ts';

const maxQueryLength = 64;

function Item({ item, onChoose }: { item: PaletteItem; onChoose(): void }) {
  return (
    <Autocomplete.Item
      value={item}
      className="flex min-h-8 cursor-default select-none items-center gap-3 rounded-md px-2 outline-none data-highlighted:bg-accent-tint max-sm:min-h-11"
      onClick={onChoose}
    >
      <span className="min-w-0 truncate">{item.label}</span>
      {item.detail && <span className="ml-auto min-w-0 max-w-1/2 truncate text-muted text-xs">{item.detail}</span>}
    </Autocomplete.Item>
  );
}

function Results({ onChoose }: { onChoose(item: PaletteItem): void }) {
  return (
    <>
      <Autocomplete.Empty className="px-4 py-6 text-center text-muted empty:hidden">{palette_none()}</Autocomplete.Empty>
      <Autocomplete.List className="min-h-0 overflow-y-auto p-1.5 empty:hidden">
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.kind} items={group.items}>
            <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-muted text-xs">
              {kindLabels[group.kind]()}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => <Item key={item.key} item={item} onChoose={() => onChoose(item)} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </>
  );
}

/** Finds pages, things and settings by a few letters and goes there; worked by keyboard alone. */
export function Palette({ onClose }: { onClose(): void }) {
  const [query, setQuery] = useState('');
  const navigate = useNavigate();
  const status = useStatus();
  const session = useSession();
  const userRole = session?.role ?? 0;
  const agents = useAgentPages(session !== undefined);
  const settings = useSettingsPart();
  const rows = useRows(query);
  const chosen = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const items = [
    ...placesFor(userRole, status, agents),
    ...rows,
    ...(settings?.settingItems(query.trim(), status?.self_use_mode_enabled === true) ?? []),
  ];
  const go = async (item: PaletteItem) => {
    chosen.current = item.act === undefined;
    onClose();
    if (item.act) return item.act();
    await navigate({ to: item.to, search: item.tab ? { tab: item.tab } : {}, hash: item.hash });
    // The tab may have been open, at this very place.
    if (item.hash !== undefined) settings?.jumpTo(item.hash);
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          // At once, where the library waits for the next frame: who types right after the shortcut would lose letters.
          initialFocus={() => {
            input.current?.focus();
            return false;
          }}
          finalFocus={() => !chosen.current}
          className="fixed top-[min(12vh,96px)] left-1/2 z-40 flex max-h-[min(560px,76dvh)] w-[min(600px,calc(100vw-24px))] -translate-x-1/2 flex-col rounded-lg bg-raised text-fg shadow-overlay outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <Dialog.Title className="sr-only">{palette_title()}</Dialog.Title>
          <Autocomplete.Root
            open
            inline
            items={paletteGroups(items, query)}
            mode="none"
            value={query}
            onValueChange={(value, { reason }) => reason !== 'item-press' && setQuery(value)}
            itemToStringValue={(item: PaletteItem) => item.label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="relative border-b focus-within:border-accent">
              <Search size={16} aria-hidden className="pointer-events-none absolute top-3.5 left-4 text-muted" />
              <Autocomplete.Input
                ref={input}
                aria-label={palette_search()}
                placeholder={palette_search()}
                maxLength={maxQueryLength}
                className="h-11 w-full rounded-t-lg bg-transparent pr-3 pl-10 text-base outline-none"
              />
            </div>
            <Results onChoose={(item) => void go(item)} />
          </Autocomplete.Root>
          <p className="border-t px-4 py-2 text-muted text-xs max-sm:hidden">{palette_hint()}</p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
