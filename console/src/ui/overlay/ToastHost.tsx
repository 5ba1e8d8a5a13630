import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { action_close, request_id_copy, toast_region } from '../../i18n/generated/messages.ts';
import { useStore } from '../../lib/store.ts';
import { copyText } from '../copy.ts';
import { type Notice, type NoticeTone, notices } from '../notify.ts';

const icons = { ok: CircleCheck, bad: CircleAlert, warn: TriangleAlert, info: Info };
const tones: Record<NoticeTone, string> = { ok: 'text-ok', bad: 'text-bad', warn: 'text-warn', info: 'text-info' };
const manager = Toast.createToastManager<Notice>();

/** Moves waiting notices into the toaster. */
function useFeed(): void {
  const waiting = useStore(notices);
  useEffect(() => {
    if (waiting.length === 0) return;
    for (const notice of waiting) {
      const failed = notice.tone === 'bad';
      manager.add({
        // What is announced of a failure; what is seen are the title and the rest below.
        title: notice.text,
        data: notice,
        // What went well is seen at a glance; the rest is read.
        timeout: (notice.tone === 'ok' || notice.tone === 'info') && !notice.action ? 3500 : 8000,
        priority: failed ? 'high' : 'low',
      });
    }
    notices.set([]);
  }, [waiting]);
}

function Body({ notice, close }: { notice: Notice; close(): void }) {
  const { action, requestId } = notice;
  return (
    <div className="min-w-0 grow">
      <Toast.Title render={<p />} className="text-sm">
        {notice.text}
      </Toast.Title>
      {requestId && (
        <Toast.Description render={<p />} className="text-muted text-xs">
          <button
            type="button"
            className="min-h-6 font-mono underline-offset-2 hover:underline"
            onClick={() => copyText(requestId)}
            aria-label={`${request_id_copy()} ${requestId}`}
          >
            {requestId}
          </button>
        </Toast.Description>
      )}
      {action && (
        <button
          type="button"
          className="min-h-6 font-medium text-accent hover:underline"
          onClick={() => {
            action.run();
            close();
          }}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}

function List() {
  const { toasts, close } = Toast.useToastManager<Notice>();
  return toasts.map((toast) => {
    const notice = toast.data;
    if (!notice) return null;
    const Icon = icons[notice.tone];
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        swipeDirection={['right', 'up']}
        // Announced apart as well; but what can be reached by Tab is there for everybody.
        aria-hidden={false}
        className="pointer-events-auto rounded-lg bg-raised p-3 text-fg shadow-overlay transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
      >
        <div className="flex items-start gap-2.5">
          <Icon size={17} aria-hidden className={`mt-px shrink-0 ${tones[notice.tone]}`} />
          <Body notice={notice} close={() => close(toast.id)} />
          <Toast.Close
            aria-label={action_close()}
            aria-hidden={false}
            className="-m-1 grid size-6 shrink-0 place-items-center rounded-sm text-muted hover:text-fg"
          >
            <X size={14} aria-hidden />
          </Toast.Close>
        </div>
      </Toast.Root>
    );
  });
}

/** The messages in the corner. Loads with the first one. */
export function ToastHost() {
  useFeed();
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label={toast_region()}
          className="pointer-events-none -translate-x-1/2 fixed top-2 left-1/2 z-50 flex w-[min(400px,calc(100vw-24px))] flex-col gap-2"
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
