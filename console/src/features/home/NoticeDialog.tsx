import { notice_close, site_notice } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { Markup } from '../../ui/markup/Markup.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

/** What the operator wants everybody to read. */
export function NoticeDialog({ notice, onClose }: { notice: string; onClose(): void }) {
  return (
    <Dialog
      title={site_notice()}
      wide
      onClose={onClose}
      footer={
        <Button tone="primary" onClick={onClose}>
          {notice_close()}
        </Button>
      }
    >
      <Markup source={notice} />
    </Dialog>
  );
}
