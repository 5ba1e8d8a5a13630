import { task_watching } from '../../i18n/generated/messages.ts';

/** Says that the page moves by itself. */
export function Watching() {
  return (
    <span className="inline-flex items-center gap-1.5 text-muted text-xs max-sm:hidden">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
      {task_watching()}
    </span>
  );
}
