import { Copy, Download } from 'lucide-react';
import {
  redemption_code,
  redemption_copy_all,
  redemption_created_text,
  redemption_created_title,
  redemption_download,
} from '../../i18n/generated/messages.ts';
import { saveTextFile } from '../../lib/save-file.ts';
import { Button } from '../../ui/Button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Dialog } from '../../ui/overlay/Dialog.tsx';

const shownRows = 12;

/** The new codes, to be copied or saved as `{name}.txt`, one per line. */
export function CreatedDialog({ name, codes, onClose }: { name: string; codes: readonly string[]; onClose(): void }) {
  const text = codes.join('\n');
  return (
    <Dialog
      title={redemption_created_title()}
      description={redemption_created_text({ count: codes.length })}
      onClose={onClose}
      footer={
        <>
          <Button icon={Copy} onClick={() => void copyText(text)}>
            {redemption_copy_all()}
          </Button>
          <Button icon={Download} tone="primary" onClick={() => saveTextFile(`${name}.txt`, `${text}\n`)}>
            {redemption_download()}
          </Button>
        </>
      }
    >
      <textarea
        className="control w-full font-mono text-xs"
        aria-label={redemption_code()}
        rows={Math.min(shownRows, codes.length)}
        readOnly
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>
  );
}
