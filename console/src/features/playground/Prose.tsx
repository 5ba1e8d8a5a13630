import { memo, useRef } from 'react';
import { play_picture } from '../../i18n/generated/messages.ts';
import { Markup } from '../../ui/markup/Markup.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { type Piece, type Reading, readOn } from './pieces.ts';

/** Names of links stand anywhere in a text; they are looked up once it is complete. */
const sourceOf = ({ source }: Piece, definitions: string): string =>
  definitions !== '' && source.includes('[') ? `${source}\n${definitions}` : source;

const askFor = (host: string) => play_picture({ host });

/** A model's Markdown. Nothing of it runs: prose is cleaned, code is shown as text. */
export const Prose = memo(function Prose({ source, isGrowing }: { source: string; isGrowing: boolean }) {
  const reading = useRef<Reading>(undefined);
  reading.current = readOn(reading.current, source);
  const { pieces, definitions } = reading.current;
  return (
    <div className="min-w-0 space-y-3">
      {pieces.map((piece, index) =>
        piece.kind === 'prose' ? (
          <Markup
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added behind
            key={index}
            source={sourceOf(piece, isGrowing ? '' : definitions)}
            askFor={askFor}
            className="break-words has-[>:is(h1,h2,h3):first-child]:pt-1.5"
          />
        ) : (
          <CodeBlock
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added behind
            key={index}
            source={piece.source}
            language={piece.language}
            isGrowing={isGrowing && index === pieces.length - 1}
          />
        ),
      )}
    </div>
  );
});
