import { CircleAlert, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const icons = { bad: CircleAlert, warn: TriangleAlert, info: Info };
const tones = { bad: 'bg-bad-tint text-bad', warn: 'bg-warn-tint text-warn', info: 'bg-info-tint text-info' };

/** A message in the page. `bad` is announced at once. */
export function Alert({ tone, children }: { tone: keyof typeof icons; children: ReactNode }) {
  const Icon = icons[tone];
  return (
    <div role={tone === 'bad' ? 'alert' : undefined} className={`flex items-start gap-2 rounded-md px-3 py-2 ${tones[tone]}`}>
      <Icon size={16} aria-hidden className="mt-px shrink-0" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
