import { Inbox, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** Why there is nothing here and what to do about it. */
export function EmptyState({
  icon: Icon = Inbox,
  title,
  text,
  action,
}: {
  icon?: LucideIcon;
  title: string;
  text?: string;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-1 px-4 py-14 text-center">
      <Icon size={28} strokeWidth={1.5} aria-hidden className="mb-2 text-line-strong" />
      <p className="font-medium text-base">{title}</p>
      {text && <p className="max-w-md whitespace-pre-line text-balance text-muted">{text}</p>}
      {action && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
