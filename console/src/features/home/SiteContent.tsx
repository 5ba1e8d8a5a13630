import type { ReactNode } from 'react';
import { action_open_window } from '../../i18n/generated/messages.ts';
import { Frame } from '../../ui/Frame.tsx';
import { contentOf } from '../../ui/markup/content.ts';
import { part } from '../../ui/part.tsx';

const Markup = part(
  () => import('../../ui/markup/Markup.tsx'),
  'Markup',
  () => <div aria-busy className="min-h-dvh" />,
);
/** A page elsewhere works as it does in a window, except that it cannot lead this one away. */
const sandbox = 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox';

interface Props {
  /** Undefined: not known yet. */
  text: string | undefined;
  title: string;
  /** Where the operator wrote nothing. */
  fallback: ReactNode;
}

/** What the operator put on a page: Markdown, HTML, or a page elsewhere in a frame. */
export function SiteContent({ text, title, fallback }: Props) {
  // As high as the window, so that the footer does not jump when the content is here.
  if (text === undefined) return <div aria-busy className="min-h-dvh" />;
  const content = contentOf(text, location.origin);
  if (content.kind === 'none') return fallback;
  if (content.kind === 'page') {
    return (
      <div className="flex h-[calc(100dvh-48px)] flex-col">
        <h1 className="sr-only">{title}</h1>
        <Frame title={title} url={content.url} sandbox={sandbox} className="w-full grow border-0 bg-surface" />
        <p className="px-4 py-1 text-end text-xs">
          <a href={content.url} target="_blank" rel="noopener noreferrer" className="inline-flex min-h-6 items-center">
            {action_open_window()}
          </a>
        </p>
      </div>
    );
  }
  return (
    <div className="mx-auto max-w-[1080px] px-5 py-6 max-sm:px-4">
      <h1 className="sr-only">{title}</h1>
      <Markup source={content.source} />
    </div>
  );
}
