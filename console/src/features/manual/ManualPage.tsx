import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { FileQuestion } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import {
  apidocs_title,
  manual_menu,
  manual_missing,
  manual_missing_text,
  manual_none,
  manual_pages,
  manual_reference,
  manual_search,
  manual_title,
} from '../../i18n/generated/messages.ts';
import { useLanguage } from '../../i18n/language.ts';
import { copyText } from '../../ui/copy.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { TextSkeleton } from '../../ui/TextSkeleton.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { type ManualEntry, type ManualLink, searchManual } from './model.ts';
import { indexQuery, pageQuery } from './queries.ts';

/** The address that the documents show; readers get that of their own server. */
const shownAddress = 'http://localhost:3000';
const linkClass =
  'block rounded-md px-2.5 py-1.5 text-muted hover:bg-grey-tint hover:text-fg aria-[current=page]:bg-accent-tint aria-[current=page]:font-medium aria-[current=page]:text-accent';

function Lines({ links, current }: { links: readonly ManualLink[]; current: string }) {
  return (
    <ul>
      {links.map(({ name, text, hash }) => (
        <li key={`${name}#${hash}`}>
          <Link
            to="/docs/$"
            params={{ _splat: name }}
            hash={hash}
            className={linkClass}
            aria-current={name === current && hash === undefined ? 'page' : undefined}
          >
            {text}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Contents({ index, current }: { index: readonly ManualEntry[]; current: string }) {
  const [search, setSearch] = useState('');
  const links = (group: ManualEntry['group']) =>
    index.filter((entry) => entry.group === group).map(({ name, title }) => ({ name, text: title }));
  const found = search.trim() === '' ? undefined : searchManual(index, search);
  return (
    <>
      <input
        type="search"
        className="control mb-3"
        aria-label={manual_search()}
        placeholder={manual_search()}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <nav aria-label={manual_pages()}>
        {found ? (
          <Lines links={found} current={current} />
        ) : (
          <>
            <Lines links={links('manual')} current={current} />
            <h2 className="mt-4 mb-1 px-2.5 font-semibold text-muted text-xs">{manual_reference()}</h2>
            <Link to="/docs/$" params={{ _splat: 'api' }} className={linkClass}>
              {apidocs_title()}
            </Link>
            <Lines links={links('reference')} current={current} />
          </>
        )}
      </nav>
      <p role="status" className="px-2.5 text-muted">
        {found?.length === 0 && manual_none()}
      </p>
    </>
  );
}

/** A page's HTML, which comes with this build; its links stay in the application and its blocks can be copied. */
function Body({ html }: { html: string }) {
  const place = useRef<HTMLElement>(null);
  const router = useRouter();
  const address = serverAddressOf(useStatus());
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return;
    current.innerHTML = html.replaceAll(shownAddress, address);
    document.getElementById(router.state.location.hash)?.scrollIntoView();
  }, [html, address, router]);
  useEffect(() => {
    const { current } = place;
    const clicked = (event: MouseEvent) => {
      const target = event.target instanceof Element ? event.target : undefined;
      const block = target?.closest('[data-copy]')?.nextElementSibling;
      if (block) void copyText(block.textContent ?? '');
      const href = target?.closest('a[href^="/"]')?.getAttribute('href');
      if (!href || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void router.navigate({ href });
    };
    current?.addEventListener('click', clicked);
    return () => current?.removeEventListener('click', clicked);
  }, [router]);
  return <article ref={place} className="markup manual" />;
}

function Page({ entry, language }: { entry: ManualEntry; language: string }) {
  useTitle(entry.title);
  const { data, error, refetch } = useQuery(pageQuery(entry.file));
  if (error) return <LoadError error={error} retry={refetch} />;
  if (!data) return <TextSkeleton className="min-h-dvh pt-2" />;
  return <Body key={`${language} ${entry.name}`} html={data.html} />;
}

/** A page of the manual, its first one without a name. */
export function ManualPage({ name }: { name: string }) {
  useTitle(manual_title());
  const language = useLanguage();
  const { data: index, error, refetch } = useQuery(indexQuery(language));
  if (error) return <LoadError error={error} retry={refetch} />;
  const entry = name === '' ? index?.[0] : index?.find((one) => one.name === name);
  const contents = index && <Contents index={index} current={entry?.name ?? ''} />;
  return (
    <div className="mx-auto grid max-w-[1180px] grid-cols-[220px_minmax(0,1fr)] gap-x-10 px-5 py-6 max-md:grid-cols-1 max-sm:px-4">
      <aside
        aria-label={manual_menu()}
        className="sticky top-16 max-h-[calc(100dvh-80px)] self-start overflow-y-auto max-md:hidden"
      >
        {contents}
      </aside>
      <details key={`${language} ${entry?.name}`} className="card mb-4 px-3 py-2 md:hidden">
        <summary className="cursor-pointer py-1 font-medium">{manual_menu()}</summary>
        <div className="pt-2">{contents}</div>
      </details>
      <div className="min-w-0">
        {!index && <TextSkeleton className="min-h-dvh pt-2" />}
        {entry && <Page entry={entry} language={language} />}
        {index && !entry && <EmptyState icon={FileQuestion} title={manual_missing()} text={manual_missing_text()} />}
      </div>
    </div>
  );
}
