import { Menu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { useStore } from '../../lib/store.ts';
import { type MenuItem, openMenus } from '../overlays.ts';

const itemClass =
  'flex h-8 cursor-default select-none items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-grey-tint data-disabled:text-muted max-sm:h-10';

function Item({ item, choice }: { item: MenuItem; choice: boolean }) {
  const Icon = item.icon;
  if (item.stays && item.checked !== undefined)
    return (
      <Menu.CheckboxItem className={itemClass} checked={item.checked} disabled={item.disabled} onCheckedChange={item.onSelect}>
        <span className="grow truncate">{item.label}</span>
        <Check size={14} aria-hidden className={item.checked ? 'text-accent' : 'invisible'} />
      </Menu.CheckboxItem>
    );
  return (
    <Menu.Item
      className={item.tone === 'bad' ? `${itemClass} text-bad` : itemClass}
      disabled={item.disabled}
      onClick={item.onSelect}
      aria-current={item.checked || undefined}
    >
      {Icon && <Icon size={15} aria-hidden className="shrink-0 opacity-75" />}
      <span className="grow truncate">{item.label}</span>
      {choice && <Check size={14} aria-hidden className={item.checked ? 'text-accent' : 'invisible'} />}
    </Menu.Item>
  );
}

/** The one menu of the application: opens at whichever button asked for it and gives the focus back to that button. */
export function MenuHost() {
  const request = useStore(openMenus);
  if (!request) return null;
  const choice = request.items.some((item) => item.checked !== undefined);
  const close = () => {
    openMenus.set(undefined);
    request.onClose();
  };
  return (
    <Menu.Root open onOpenChange={(open) => !open && close()}>
      <Menu.Portal>
        <Menu.Positioner anchor={request.anchor} sideOffset={4} align="end" collisionPadding={8} className="z-40 outline-none">
          <Menu.Popup
            aria-label={request.anchor.getAttribute('aria-label') ?? undefined}
            finalFocus={() => request.anchor}
            className="max-h-(--available-height) min-w-40 max-w-80 overflow-y-auto rounded-lg bg-raised p-1 text-sm text-fg shadow-overlay outline-none"
          >
            {request.items.map((item) => (
              <div key={item.key} role="presentation">
                {item.separated && <Menu.Separator className="-mx-1 my-1 h-px bg-line" />}
                <Item item={item} choice={choice} />
              </div>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
