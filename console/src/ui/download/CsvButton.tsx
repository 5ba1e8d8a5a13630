import { Download } from 'lucide-react';
import { log_export_csv } from '../../i18n/generated/messages.ts';
import { IconButton } from '../Button.tsx';
import { DownloadProgress } from './Progress.tsx';
import { useDownload } from './useDownload.ts';

/** Everything that the filters of a list let through, as a file of the server. */
export function CsvButton({ address, name }: { address: string; name: string }) {
  const { bytes, start, cancel } = useDownload();
  if (bytes !== undefined) return <DownloadProgress bytes={bytes} cancel={cancel} />;
  return <IconButton icon={Download} label={log_export_csv()} onClick={() => void start(address, name)} />;
}
