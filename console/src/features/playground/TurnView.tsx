import { Pencil, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import {
  action_cancel,
  play_delete,
  play_edit,
  play_image,
  play_image_unsent,
  play_resend,
  play_said,
} from '../../i18n/generated/messages.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { AnswerView } from './AnswerView.tsx';
import { sendOnEnter } from './keys.ts';
import type { Turn } from './model.ts';
import type { Chat } from './useChat.ts';

const columns = ['', 'grid-cols-1', 'lg:grid-cols-2', 'lg:grid-cols-2 xl:grid-cols-3'];

function Editing({ text, onDone, onCancel }: { text: string; onDone(text: string): void; onCancel(): void }) {
  const [draft, setDraft] = useState(text);
  const send = () => draft.trim() !== '' && onDone(draft);
  return (
    <div className="flex w-full flex-col gap-2">
      <textarea
        className="control min-h-24 py-2"
        aria-label={play_said()}
        value={draft}
        // biome-ignore lint/a11y/noAutofocus: it was asked for
        autoFocus
        onChange={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={(event) => (event.key === 'Escape' ? onCancel() : sendOnEnter(send)(event))}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{action_cancel()}</Button>
        <Button tone="primary" disabled={draft.trim() === ''} onClick={send}>
          {play_resend()}
        </Button>
      </div>
    </div>
  );
}

/** A question and its answers, side by side when several were asked. `isSent`: its pictures go along with the next question. */
export function TurnView({ turn, chat, isSent }: { turn: Turn; chat: Chat; isSent: boolean }) {
  const [editing, setEditing] = useState(false);
  const { id, text, images, answers } = turn;
  const cancelled = useRef(false);
  const cancel = () => {
    cancelled.current = true;
    setEditing(false);
  };
  const takeBack = (pencil: HTMLButtonElement | null) => {
    if (cancelled.current) pencil?.focus();
    cancelled.current = false;
  };
  return (
    <section className="flex flex-col gap-3">
      <div className="ml-auto flex max-w-[85%] flex-col items-end gap-1 max-sm:max-w-full">
        {editing ? (
          <Editing text={text} onCancel={cancel} onDone={(changed) => setEditing(!chat.edit(id, changed))} />
        ) : (
          <>
            <p className="whitespace-pre-wrap rounded-lg bg-accent-tint px-3.5 py-2">{text}</p>
            {images.length > 0 && (
              <div className="flex flex-wrap justify-end gap-2">
                {images.map((url, index) => (
                  <img key={url} src={url} alt={play_image({ number: index + 1 })} className="max-h-40 rounded-md border" />
                ))}
              </div>
            )}
            {images.length > 0 && !isSent && <p className="text-muted text-xs">{play_image_unsent()}</p>}
            {!chat.busy && (
              <div className="flex">
                <IconButton ref={takeBack} icon={Pencil} size="sm" label={play_edit()} onClick={() => setEditing(true)} />
                <IconButton icon={Trash2} size="sm" label={play_delete()} onClick={() => chat.remove(id)} />
              </div>
            )}
          </>
        )}
      </div>
      <div className={`grid gap-5 ${columns[answers.length] ?? ''}`}>
        {answers.map((answer, index) => (
          <AnswerView
            // biome-ignore lint/suspicious/noArrayIndexKey: answers keep their places
            key={index}
            answer={answer}
            onRegenerate={chat.busy ? undefined : () => chat.regenerate(id, index)}
          />
        ))}
      </div>
    </section>
  );
}
