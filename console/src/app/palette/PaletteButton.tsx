import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { palette_open } from '../../i18n/generated/messages.ts';
import { IconButton } from '../../ui/Button.tsx';
import { part } from '../../ui/part.tsx';

const Palette = part(() => import('./Palette.tsx'), 'Palette');

const isPaletteKey = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k';

/** Opens the command palette, as Ctrl-K or Cmd-K do from anywhere. */
export function PaletteButton() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isPaletteKey(event)) return;
      event.preventDefault();
      setOpen((now) => !now);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <IconButton icon={Search} label={palette_open()} onClick={() => setOpen(true)} />
      {open && <Palette onClose={() => setOpen(false)} />}
    </>
  );
}
