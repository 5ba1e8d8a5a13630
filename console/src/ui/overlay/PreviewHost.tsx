import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useCallback, useState } from 'react';
import { action_open_window, preview_copy, preview_failed, preview_large, preview_save } from '../../i18n/generated/messages.ts';
import { formatBytes } from '../../lib/bytes.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useStore } from '../../lib/store.ts';
import { Alert } from '../Alert.tsx';
import { Button, buttonClass } from '../Button.tsx';
import { copyText } from '../copy.ts';
import { Unread } from '../LoadError.tsx';
import { type Preview, previews, type Sound } from '../overlays.ts';
import { Dialog } from './Dialog.tsx';

type Of<Kind extends Preview['kind']> = Extract<Preview, { kind: Kind }>;
const close = () => previews.set(undefined);
/** What a browser is asked to hold for its player. */
const maxVideoBytes = 1_000_000_000;

const CopyAll = ({ text }: { text: string }) => <Button onClick={() => void copyText(text)}>{preview_copy()}</Button>;

function Text({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre tabIndex={0} className="max-h-[60dvh] overflow-auto whitespace-pre-wrap rounded-md bg-sunken p-3">
      {text.split(/(https?:\/\/[^\s"<>]+)/).map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the text stays as it is
          <a key={at} href={part} target="_blank" rel="noreferrer" className="underline">
            {part}
          </a>
        ),
      )}
    </pre>
  );
}

/** Read whole: a player alone cannot say who asks. Not every browser plays every film, but each can keep it. */
function VideoPreview({ title, text, video }: Of<'text'> & { video: string }) {
  const read = useQuery({
    queryKey: ['video', video],
    queryFn: async ({ signal }) => {
      const { download } = await import('../../api/download.ts');
      return download(video, { signal, onBytes: () => undefined, maxBytes: maxVideoBytes }).catch((fault) => {
        throw fault instanceof RangeError ? new Error(preview_large({ size: formatBytes(maxVideoBytes) })) : fault;
      });
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data, error } = read;
  const show = useCallback(
    (player: HTMLVideoElement) => {
      if (!data) return undefined;
      player.src = URL.createObjectURL(data);
      return () => URL.revokeObjectURL(player.src);
    },
    [data],
  );
  const save = () => data && saveFile(`${video.split('/')[3]}.${/^video\/(\w+)/.exec(data.type)?.[1] ?? 'mp4'}`, data);
  return (
    <Dialog
      title={title}
      onClose={close}
      wide
      footer={
        <>
          {data && <Button onClick={save}>{preview_save()}</Button>}
          <CopyAll text={text} />
        </>
      }
    >
      <Unread query={read} />
      {/* biome-ignore lint/a11y/useMediaCaption: what a model made comes without captions */}
      {!error && <video ref={show} controls className={`mb-3 h-64 w-full rounded-md bg-sunken ${data ? '' : 'skeleton'}`} />}
      <Text text={text} />
    </Dialog>
  );
}

/** Nothing is fetched before somebody plays it. */
function Player({ title, src }: Sound) {
  return (
    <figure className="mb-3">
      {title && <figcaption className="mb-1 truncate">{title}</figcaption>}
      {/* biome-ignore lint/a11y/useMediaCaption: what a model made comes without captions */}
      <audio controls preload="none" src={src} aria-label={title || undefined} className="h-10 w-full" />
    </figure>
  );
}

function TextPreview({ title, text, sounds }: Of<'text'>) {
  return (
    <Dialog title={title} onClose={close} wide footer={<CopyAll text={text} />}>
      {sounds?.map((sound) => (
        <Player key={sound.src} {...sound} />
      ))}
      <Text text={text} />
    </Dialog>
  );
}

function ImagePreview({ title, src, alt }: Of<'image'>) {
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  return (
    <Dialog
      title={title}
      onClose={close}
      wide
      footer={
        <a href={src} target="_blank" rel="noreferrer" className={buttonClass()}>
          <ExternalLink size={15} aria-hidden />
          {action_open_window()}
        </a>
      }
    >
      {state === 'failed' ? (
        <Alert tone="warn">{preview_failed()}</Alert>
      ) : (
        <div className="grid min-h-64 place-items-center rounded-md bg-sunken">
          {state === 'loading' && <span aria-hidden className="skeleton col-start-1 row-start-1 h-48 w-2/3" />}
          <img
            src={src}
            alt={alt}
            className="col-start-1 row-start-1 max-h-[68dvh] max-w-full object-contain"
            onLoad={() => setState('shown')}
            onError={() => setState('failed')}
          />
        </div>
      )}
    </Dialog>
  );
}

/** The one large view of something small. */
export function PreviewHost() {
  const preview = useStore(previews);
  if (!preview) return null;
  if (preview.kind === 'text')
    return preview.video ? <VideoPreview {...preview} video={preview.video} /> : <TextPreview {...preview} />;
  return <ImagePreview key={preview.src} {...preview} />;
}
