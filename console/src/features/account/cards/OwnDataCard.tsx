import { own_data_text, own_data_title } from '../../../i18n/generated/messages.ts';
import { Button } from '../../../ui/Button.tsx';
import { Card } from '../../../ui/Card.tsx';
import { DownloadProgress } from '../../../ui/download/Progress.tsx';
import { useDownload } from '../../../ui/download/useDownload.ts';

/** All that is kept about the user, as a file of the server. */
export function OwnDataCard() {
  const { bytes, start, cancel } = useDownload();
  return (
    <Card title={own_data_title()} text={own_data_text()}>
      {bytes === undefined ? (
        <Button onClick={() => void start('/api/user/self/export', 'personal-data.ndjson')}>{own_data_title()}</Button>
      ) : (
        <DownloadProgress bytes={bytes} cancel={cancel} />
      )}
    </Card>
  );
}
