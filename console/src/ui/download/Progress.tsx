import { X } from 'lucide-react';
import { log_export_cancel, log_export_progress } from '../../i18n/generated/messages.ts';
import { formatBytes } from '../../lib/bytes.ts';
import { IconButton } from '../Button.tsx';

/** How much of a file came, and how to end it. */
export function DownloadProgress({ bytes, cancel }: { bytes: number; cancel(): void }) {
  return (
    <span className="inline-flex h-8 items-center gap-1 rounded-md bg-accent-tint pl-2 text-accent text-xs">
      <span role="status" className="tabular-nums">
        {log_export_progress({ size: formatBytes(bytes) })}
      </span>
      <IconButton icon={X} label={log_export_cancel()} size="sm" onClick={cancel} />
    </span>
  );
}
