import { memo, useMemo } from 'react';
import { play_copy_code } from '../../i18n/generated/messages.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { highlight } from './highlight.ts';

interface Props {
  source: string;
  language: string;
  isGrowing: boolean;
}

/** Longer code is shown plain: colouring it would take the page's time. */
const mostColoured = 40_000;

/** Code with its language and a way to take it along; coloured once it is complete. */
export const CodeBlock = memo(function CodeBlock({ source, language, isGrowing }: Props) {
  const isPlain = isGrowing || language === '' || source.length > mostColoured;
  const painted = useMemo(() => (isPlain ? [{ tone: '', text: source }] : highlight(source)), [source, isPlain]);
  return (
    <figure className="card min-w-0 overflow-hidden">
      <figcaption className="flex h-9 items-center gap-2 border-b bg-sunken px-3 text-muted text-xs">
        <span className="grow truncate">{language}</span>
        <CopyButton text={source} label={play_copy_code()} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className="overflow-x-auto px-3 py-2.5 text-xs leading-relaxed" tabIndex={0}>
        <code>
          {painted.map(({ tone, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: drawn anew with every change
            <span key={index} className={tone}>
              {text}
            </span>
          ))}
        </code>
      </pre>
    </figure>
  );
});
