import { useEffect, useRef, useState } from 'react';
import { log_export_cancelled, log_export_done, log_export_too_large } from '../../i18n/generated/messages.ts';
import { formatBytes } from '../../lib/bytes.ts';
import { saveFile } from '../../lib/save-file.ts';
import { notify, notifyError } from '../notify.ts';

/** What a browser is asked to hold; more is for a narrower filter, or for the API. */
const maxBytes = 1_000_000_000;

export interface Download {
  /** How much came of the one under way; undefined when there is none. */
  bytes: number | undefined;
  start(address: string, name: string): Promise<void>;
  cancel(): void;
}

/** Reads files of the server and offers them under a name. Leaving the page ends the one under way. */
export function useDownload(): Download {
  const [bytes, setBytes] = useState<number>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (address: string, name: string) => {
    const control = new AbortController();
    running.current = control;
    setBytes(0);
    try {
      const { download } = await import('../../api/download.ts');
      const file = await download(address, { signal: control.signal, onBytes: setBytes, maxBytes });
      saveFile(name, file);
      notify('ok', log_export_done({ size: formatBytes(file.size) }));
    } catch (error) {
      if (control.signal.aborted) notify('info', log_export_cancelled());
      else if (error instanceof RangeError) notify('bad', log_export_too_large({ size: formatBytes(maxBytes) }));
      else notifyError(error);
    } finally {
      setBytes(undefined);
    }
  };
  return { bytes, start, cancel: () => running.current?.abort() };
}
