import { ImagePlus, SendHorizontal, Square, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import {
  play_ask,
  play_image,
  play_image_add,
  play_image_kind,
  play_image_large,
  play_image_many,
  play_image_remove,
  play_image_sum,
  play_send,
  play_send_hint,
  play_stop,
} from '../../i18n/generated/messages.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { notify } from '../../ui/notify.ts';
import { sendOnEnter } from './keys.ts';
import { fitTogether, mostImageBytes, mostImages, pictureOf, pictureTypes, type Turn } from './model.ts';

interface Props {
  busy: boolean;
  /** Why nothing can be sent now. */
  blocked: string;
  /** Nothing is known to ask yet: what is sent waits. */
  pending: boolean;
  onSend(question: Pick<Turn, 'text' | 'images'>): void;
  onStop(): void;
}

/** As a URL; "" when it is no picture, or cannot be read, as one that was moved meanwhile. */
function readImage(file: File): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onloadend = () => resolve(pictureOf(String(reader.result)));
    reader.readAsDataURL(file);
  });
}

/** Where the next question is written; pictures can be chosen or pasted. */
export function Composer({ busy, blocked, pending, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const [images, setImages] = useState<string[]>([]);
  const held = useRef(images);
  const [wanted, setWanted] = useState(false);
  useGuard(text.trim() !== '' || images.length > 0);
  const picker = useRef<HTMLInputElement>(null);
  const hold = (next: string[]) => {
    held.current = next;
    setImages(next);
  };
  const add = async (files: Iterable<File>) => {
    for (const file of files) {
      if (file.size > mostImageBytes) notify('warn', play_image_large({ name: file.name }));
      else {
        const url = await readImage(file);
        const all = [...held.current, url];
        if (all.length > mostImages || held.current.includes(url)) continue;
        if (url === '') notify('warn', play_image_kind({ name: file.name }));
        else if (fitTogether(all)) hold(all);
        else notify('warn', play_image_sum({ name: file.name }));
      }
    }
  };
  const ready = !busy && blocked === '' && text.trim() !== '';
  const send = () => {
    if (!ready) return;
    setWanted(pending);
    if (pending) return;
    onSend({ text: text.trim(), images });
    setText('');
    hold([]);
  };
  useEffect(() => {
    if (wanted && !pending) send();
  });
  return (
    <form
      className="flex flex-col gap-2 border-t bg-surface px-4 py-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {images.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {images.map((url, index) => (
            <li key={url} className="relative">
              <img src={url} alt={play_image({ number: index + 1 })} className="size-16 rounded-md border object-cover" />
              <span className="absolute -top-2 -right-2 rounded-full bg-raised shadow-overlay">
                <IconButton
                  icon={X}
                  size="sm"
                  label={play_image_remove({ number: index + 1 })}
                  onClick={() => hold(images.filter((one) => one !== url))}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
      <textarea
        className="control max-h-60 min-h-20 resize-y py-2"
        aria-label={play_ask()}
        placeholder={play_ask()}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setWanted(false);
        }}
        onPaste={(event) => void add(event.clipboardData.files)}
        onKeyDown={sendOnEnter(send)}
      />
      <div className="flex items-center gap-2">
        <input
          ref={picker}
          type="file"
          accept={pictureTypes}
          multiple
          hidden
          onChange={(event) => {
            void add(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        <IconButton
          icon={ImagePlus}
          label={images.length >= mostImages ? play_image_many({ most: mostImages }) : play_image_add()}
          disabled={images.length >= mostImages}
          onClick={() => picker.current?.click()}
        />
        <p className="min-w-0 grow text-muted text-xs">{blocked || <span className="max-sm:hidden">{play_send_hint()}</span>}</p>
        {busy ? (
          <Button icon={Square} onClick={onStop}>
            {play_stop()}
          </Button>
        ) : (
          <Button type="submit" tone="primary" icon={SendHorizontal} disabled={!ready}>
            {play_send()}
          </Button>
        )}
      </div>
    </form>
  );
}
