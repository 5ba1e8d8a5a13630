import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { selfQuery } from '../../api/self.ts';
import { readText, writeText } from '../../lib/storage.ts';
import { part } from '../../ui/part.tsx';

const GettingStarted = part(
  () => import('./GettingStarted.tsx'),
  'GettingStarted',
  () => <div className="mb-3 h-[142px] max-sm:h-[326px]" />,
  true,
);
const places: ReadonlySet<string | undefined> = new Set(['token', 'channel', 'detail']);

/**
 * Shows the checklist to an operator who has not called anything yet, and from then on until it is put away for good in this
 * browser. Whoever has called before never sees it, nor asks the server for more than the shell does anyway.
 */
export function StartingGate({ userId }: { userId: number }) {
  const storageKey = `starting:${userId}`;
  const [stored, setStored] = useState(() => readText(storageKey));
  const place = useLocation({ select: ({ pathname }) => pathname.split('/')[1] });
  const { data: self } = useQuery({ ...selfQuery, enabled: stored === '' });
  const fresh = stored === '' && self?.request_count === 0;
  useEffect(() => {
    if (!fresh) return;
    writeText(storageKey, 'open');
    setStored('open');
  }, [fresh, storageKey]);
  const close = () => {
    writeText(storageKey, 'closed');
    setStored('closed');
  };
  if ((stored !== 'open' && !fresh) || !places.has(place)) return null;
  return <GettingStarted onClose={close} />;
}
