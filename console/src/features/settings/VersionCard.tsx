import { useStatus } from '../../api/status.ts';
import { isOutdated, pageVersion } from '../../api/version.ts';
import {
  settings_version,
  settings_version_newer,
  settings_version_page,
  settings_version_same,
  settings_version_server,
  settings_version_started,
  settings_version_update,
  settings_version_update_text,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Card } from '../../ui/Card.tsx';
import { FactList } from '../../ui/FactList.tsx';
import { Time } from '../../ui/Time.tsx';

/** What runs here, since when, and how to get something newer. */
export function VersionCard() {
  const status = useStatus();
  const lines = [
    { label: settings_version_server(), value: status?.version || '–' },
    { label: settings_version_page(), value: pageVersion || '–' },
    { label: settings_version_started(), value: status ? <Time seconds={status.start_time} /> : '–' },
  ];
  return (
    <Card title={settings_version()}>
      <FactList lines={lines} />
      <div className="mt-3">
        {isOutdated(status) ? (
          <Alert tone="warn">{settings_version_newer()}</Alert>
        ) : (
          <p className="text-muted">{settings_version_same()}</p>
        )}
      </div>
      <h3 className="mt-3 font-medium">{settings_version_update()}</h3>
      <p className="text-muted">{settings_version_update_text()}</p>
    </Card>
  );
}
