import { serverAddressOf, useStatus } from '../../api/status.ts';
import {
  agent_link_qr,
  agent_link_text,
  agent_link_title,
  invite_copy_link,
  invite_link,
} from '../../i18n/generated/messages.ts';
import { Card } from '../../ui/Card.tsx';
import { CopyLine } from '../../ui/CopyLine.tsx';
import { part } from '../../ui/part.tsx';

const QrCode = part(() => import('../../ui/QrCode.tsx'), 'QrCode');

/** What customers come by: a link, and the same as a picture to be shown. `link`: absolute, or a path of this site. */
export function LinkCard({ link }: { link: string }) {
  const status = useStatus();
  const whole = link.startsWith('/') ? serverAddressOf(status) + link : link;
  return (
    <Card title={agent_link_title()} text={agent_link_text()}>
      <div className="flex flex-col gap-3">
        <CopyLine label={invite_link()} value={whole} copyLabel={invite_copy_link()} />
        <div className="min-h-46 self-center">
          <QrCode text={whole} label={agent_link_qr()} />
        </div>
      </div>
    </Card>
  );
}
