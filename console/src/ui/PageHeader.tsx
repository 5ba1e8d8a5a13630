import { FilterX, SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { filter_clear, filter_toggle, filter_toggle_active } from '../i18n/generated/messages.ts';
import { useNarrow, usePhone } from '../lib/media.ts';
import { IconButton } from './Button.tsx';
import { useTitle } from './useTitle.ts';

interface Props {
  title: string;
  /** Beside the title. */
  aside?: ReactNode;
  /** What narrows the list; behind a button on phones. */
  filters?: ReactNode;
  /** How many filters are in force. */
  active?: number;
  /** Takes all of them away. */
  clear?(): void;
  /** The filters have a line of their own. */
  below?: boolean;
  /** Actions. */
  children?: ReactNode;
}

/** The first lines of a console page: its name, what belongs beside it, its filters and actions. */
export function PageHeader({ title, aside, filters, active = 0, clear, below, children }: Props) {
  useTitle(title);
  const phone = usePhone();
  const isBelow = useNarrow() || below;
  const [open, setOpen] = useState(false);
  const toggle = (
    <IconButton
      icon={SlidersHorizontal}
      label={active > 0 ? filter_toggle_active({ count: active }) : filter_toggle()}
      aria-expanded={open}
      className={active > 0 ? 'bg-accent-tint text-accent' : ''}
      onClick={() => setOpen(!open)}
    />
  );
  const shown = filters && (
    <>
      {filters}
      {clear && active > 0 && <IconButton icon={FilterX} label={filter_clear()} onClick={clear} />}
    </>
  );
  return (
    <>
      <div className="mb-2 flex min-h-8 flex-wrap items-center gap-2">
        <h1 className="mr-1 text-lg">{title}</h1>
        {aside && <div className="flex flex-wrap gap-2 max-sm:order-last max-sm:w-full">{aside}</div>}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2 max-sm:gap-1 print:hidden">
          {!isBelow && shown}
          {phone && filters && toggle}
          {children}
        </div>
      </div>
      {filters && (phone ? open : isBelow) && <div className="mb-2 flex flex-wrap items-center gap-2 print:hidden">{shown}</div>}
    </>
  );
}
