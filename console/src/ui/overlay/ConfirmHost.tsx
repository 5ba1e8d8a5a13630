import { useRef } from 'react';
import { action_cancel, action_close, copy_manual, copy_manual_hint } from '../../i18n/generated/messages.ts';
import { useStore } from '../../lib/store.ts';
import { Button } from '../Button.tsx';
import { confirms, manualCopies } from '../overlays.ts';
import { Dialog } from './Dialog.tsx';

/** Shows the open question, if any. The careful answer has the focus when the other one destroys something. */
export function ConfirmHost() {
  const request = useStore(confirms);
  const cancel = useRef<HTMLButtonElement>(null);
  const accept = useRef<HTMLButtonElement>(null);
  if (!request) return null;
  return (
    <Dialog
      title={request.title}
      description={request.text}
      onClose={() => request.resolve(false)}
      initialFocus={request.tone === 'bad' ? cancel : accept}
      footer={
        <>
          <Button ref={cancel} onClick={() => request.resolve(false)}>
            {action_cancel()}
          </Button>
          <Button ref={accept} tone={request.tone === 'bad' ? 'bad' : 'primary'} onClick={() => request.resolve(true)}>
            {request.confirmLabel}
          </Button>
        </>
      }
    />
  );
}

/** Where the clipboard is out of reach: the text, selected. */
export function ManualCopyHost() {
  const text = useStore(manualCopies);
  const field = useRef<HTMLTextAreaElement>(null);
  if (text === undefined) return null;
  const close = () => manualCopies.set(undefined);
  return (
    <Dialog title={copy_manual()} onClose={close} initialFocus={field} footer={<Button onClick={close}>{action_close()}</Button>}>
      <textarea
        ref={field}
        className="control font-mono"
        rows={Math.min(8, text.split('\n').length + 1)}
        readOnly
        aria-label={copy_manual_hint()}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
    </Dialog>
  );
}
