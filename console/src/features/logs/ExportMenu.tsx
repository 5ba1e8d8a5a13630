import { Download } from 'lucide-react';
import { log_export, log_export_csv, log_export_ndjson } from '../../i18n/generated/messages.ts';
import { formatTime } from '../../lib/time.ts';
import { DownloadProgress } from '../../ui/download/Progress.tsx';
import { useDownload } from '../../ui/download/useDownload.ts';
import { MenuButton } from '../../ui/MenuButton.tsx';
import { type ExportFormat, exportAddress, type LogFilter } from './queries.ts';

const nameOf = ({ from, to, request }: LogFilter, format: ExportFormat): string => {
  const day = (seconds = 0) => formatTime(seconds).replaceAll(/[: ]/g, '-').slice(0, 16);
  return `log_${request ?? `${day(from)}_${day(to)}`}.${format}`;
};

/** Everything that the filters let through, as a file. */
export function ExportMenu({ filter, forAll }: { filter: LogFilter; forAll: boolean }) {
  const { bytes, start, cancel } = useDownload();
  if (bytes !== undefined) return <DownloadProgress bytes={bytes} cancel={cancel} />;
  const save = (format: ExportFormat) => void start(exportAddress(filter, forAll, format), nameOf(filter, format));
  const items = () => [
    { key: 'csv', label: log_export_csv(), onSelect: () => save('csv') },
    { key: 'ndjson', label: log_export_ndjson(), onSelect: () => save('ndjson') },
  ];
  return (
    <MenuButton label={log_export()} items={items}>
      <Download size={16} aria-hidden />
    </MenuButton>
  );
}
