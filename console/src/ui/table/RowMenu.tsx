import { Ellipsis } from 'lucide-react';
import type { ComponentProps } from 'react';
import { action_more } from '../../i18n/generated/messages.ts';
import { rowLinkClass } from '../Button.tsx';
import { MenuButton } from '../MenuButton.tsx';

/** What else can be done with a row. */
export const RowMenu = ({ items }: Pick<ComponentProps<typeof MenuButton>, 'items'>) => (
  <MenuButton label={action_more()} items={items} className={rowLinkClass}>
    <Ellipsis size={16} aria-hidden />
  </MenuButton>
);
