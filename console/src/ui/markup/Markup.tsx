import { marked } from 'marked';
import { memo, useLayoutEffect, useRef } from 'react';
import { cleanHtml } from './clean.ts';

interface Props {
  source: string;
  /** A line of text, without paragraphs. */
  inline?: boolean;
  className?: string;
}

/** An operator's Markdown or HTML, cleaned here again whatever the server did. */
export const Markup = memo(function Markup({ source, inline = false, className = '' }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const html = inline ? marked.parseInline(source, { async: false }) : marked.parse(source, { async: false });
    place.current?.replaceChildren(cleanHtml(html));
  }, [source, inline]);
  return <div ref={place} className={`markup ${className}`} />;
});
