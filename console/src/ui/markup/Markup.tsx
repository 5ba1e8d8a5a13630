import { marked } from 'marked';
import { memo, useLayoutEffect, useRef } from 'react';
import { type AskFor, cleanHtml } from './clean.ts';

interface Props {
  source: string;
  /** A line of text, without paragraphs. */
  inline?: boolean;
  /** A model wrote it: its pictures from elsewhere wait behind buttons of this name. */
  askFor?: AskFor;
  className?: string;
}

/** Markdown or HTML of an operator, or of a model, cleaned here again whatever the server did. */
export const Markup = memo(function Markup({ source, inline = false, askFor, className = '' }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const html = inline ? marked.parseInline(source, { async: false }) : marked.parse(source, { async: false });
    place.current?.replaceChildren(cleanHtml(html, askFor));
  }, [source, inline, askFor]);
  return <div ref={place} className={`markup ${className}`} />;
});
