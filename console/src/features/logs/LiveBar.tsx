import { Radio } from 'lucide-react';
import { textOf } from '../../api/errors.ts';
import { log_live, log_live_count, log_live_failed, log_live_skipped, log_live_tip } from '../../i18n/generated/messages.ts';
import type { Live } from './useLogRows.ts';

/** Follows the log, or stops following it. */
export function LiveSwitch({ live, onStart }: { live: Live; onStart(): void }) {
  return (
    <button
      type="button"
      className="chip inline-flex items-center gap-1"
      aria-pressed={live.on}
      data-tip={log_live_tip()}
      onClick={() => {
        if (!live.on) onStart();
        live.set(!live.on);
      }}
    >
      <Radio size={13} aria-hidden />
      {log_live()}
    </button>
  );
}

/** In place of the pages while the log is live. */
export function LiveNote({ live }: { live: Live }) {
  return (
    <p className="flex min-h-10 flex-wrap items-center gap-x-4 py-1 text-muted">
      <span className="inline-flex items-center gap-1.5 tabular-nums">
        <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
        {log_live_count({ count: live.count })}
      </span>
      {live.skipped && <span className="text-warn">{log_live_skipped()}</span>}
      {live.error && <span className="text-bad">{log_live_failed({ reason: textOf(live.error) })}</span>}
    </p>
  );
}
