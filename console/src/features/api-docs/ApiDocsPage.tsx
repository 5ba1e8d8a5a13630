import { useQuery } from '@tanstack/react-query';
import type { ApiDocument } from '@tollgate/contract/openapi.ts';
import { ChevronRight, Download, SearchX } from 'lucide-react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import {
  apidocs_absent,
  apidocs_access_admin,
  apidocs_access_none,
  apidocs_access_root,
  apidocs_access_try,
  apidocs_access_user,
  apidocs_answer,
  apidocs_body,
  apidocs_count,
  apidocs_download,
  apidocs_example,
  apidocs_field,
  apidocs_limits,
  apidocs_none,
  apidocs_note,
  apidocs_parameters,
  apidocs_required,
  apidocs_search,
  apidocs_session_only,
  apidocs_title,
  apidocs_type,
  howto_copy_code,
} from '../../i18n/generated/messages.ts';
import { useLanguage } from '../../i18n/language.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { TextSkeleton } from '../../ui/TextSkeleton.tsx';
import { type AnswerRow, answerRows, bodyOf, curlOf, type Entry, type FieldRow, formsOf, type Group, groupsOf } from './model.ts';
import { documentAddress, documentQuery } from './queries.ts';

const methodTones: Readonly<Record<string, Tone>> = { GET: 'ok', POST: 'info', PUT: 'warn', DELETE: 'bad' };
const accessTexts = {
  none: apidocs_access_none,
  try: apidocs_access_try,
  user: apidocs_access_user,
  admin: apidocs_access_admin,
  root: apidocs_access_root,
};

interface Row {
  readonly name: string;
  readonly type: string;
  /** Beside the name. */
  readonly mark: ReactNode;
  /** "" in every row leaves the column out. */
  readonly remark: string;
}

function Fields({ name, rows, remarks }: { name: string; rows: readonly Row[]; remarks: string }) {
  const hasRemarks = rows.some(({ remark }) => remark !== '');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section aria-label={name} tabIndex={0} className="mt-3 overflow-x-auto">
      <table className="bill" aria-label={name}>
        <caption className="mb-1 text-left font-semibold">{name}</caption>
        <thead>
          <tr>
            {[apidocs_field(), apidocs_type(), ...(hasRemarks ? [remarks] : [])].map((head) => (
              <th key={head} scope="col" className="text-left">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <td className="text-left">
                <code>{row.name}</code> {row.mark}
              </td>
              <td className="break-words text-left text-muted">{row.type}</td>
              {hasRemarks && <td className="text-left text-muted">{row.remark}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const given = ({ required, limits, ...row }: FieldRow): Row => ({
  ...row,
  mark: required && <span className="text-bad text-xs">{apidocs_required()}</span>,
  remark: limits,
});
const answered = ({ mayBeAbsent, note, ...row }: AnswerRow): Row => ({
  ...row,
  mark: mayBeAbsent && <span className="text-muted text-xs">{apidocs_absent()}</span>,
  remark: note,
});

function Detail({ entry, document }: { entry: Entry; document: ApiDocument }) {
  const { operation } = entry;
  const body = bodyOf(operation);
  const answer = answerRows(operation, document);
  const parameters = operation.parameters.map(({ name, required, schema }) => ({ name, required, schema }));
  const [query = []] = formsOf({
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
  });
  const example = curlOf(window.location.origin, entry);
  const isSessionOnly = operation.security.length > 0 && operation.security.every((way) => !('accessToken' in way));
  return (
    <div className="border-t px-4 py-3">
      <p className="text-muted">
        {accessTexts[operation['x-access']]()} {isSessionOnly && apidocs_session_only()}
      </p>
      {query.length > 0 && <Fields name={apidocs_parameters()} rows={query.map(given)} remarks={apidocs_limits()} />}
      {body &&
        formsOf(body).map((rows, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: forms have no name and never move
          <Fields key={index} name={apidocs_body()} rows={rows.map(given)} remarks={apidocs_limits()} />
        ))}
      {answer.length > 0 && <Fields name={apidocs_answer()} rows={answer.map(answered)} remarks={apidocs_note()} />}
      <div className="mt-3 flex items-center gap-1">
        <h3 className="font-semibold text-sm">{apidocs_example()}</h3>
        <CopyButton text={example} label={howto_copy_code()} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre tabIndex={0} className="overflow-x-auto rounded-md bg-grey-tint p-3 text-xs">
        {example}
      </pre>
    </div>
  );
}

function Operation({ entry, document }: { entry: Entry; document: ApiDocument }) {
  const [open, setOpen] = useState(false);
  const { method, path, operation } = entry;
  return (
    <li className="border-b last:border-b-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left hover:bg-grey-tint"
      >
        <ChevronRight size={16} aria-hidden className={`shrink-0 text-muted transition-transform ${open ? 'rotate-90' : ''}`} />
        <span className="w-16 shrink-0">
          <Badge tone={methodTones[method]}>{method}</Badge>
        </span>
        <code className="min-w-0 break-all max-sm:flex-1">{path}</code>
        <span className="ml-auto text-muted max-sm:ml-7 max-sm:w-full">{operation.summary}</span>
      </button>
      {open && <Detail entry={entry} document={document} />}
    </li>
  );
}

function GroupCard({ group, document }: { group: Group; document: ApiDocument }) {
  return (
    <section aria-label={group.title} className="mb-4">
      <h2 className="mb-2 text-base">{group.title}</h2>
      <ul className="card overflow-hidden">
        {group.entries.map((entry) => (
          <Operation key={entry.operation.operationId} entry={entry} document={document} />
        ))}
      </ul>
    </section>
  );
}

/** /docs/api: every route of the console API, for whoever writes a program against it. */
export function ApiDocsPage() {
  const language = useLanguage();
  const { data, error, refetch } = useQuery(documentQuery(language));
  const [search, setSearch] = useState('');
  const sought = useDeferredValue(search);
  const groups = useMemo(() => data && groupsOf(data, sought), [data, sought]);
  return (
    <div className="mx-auto max-w-[1080px] px-5 py-6 max-sm:px-4">
      <PageHeader title={apidocs_title()}>
        <a className={buttonClass()} href={documentAddress(language)} download="openapi.json">
          <Download size={15} aria-hidden className="opacity-85" />
          {apidocs_download()}
        </a>
      </PageHeader>
      {error && <LoadError error={error} retry={refetch} />}
      {data && groups ? (
        <>
          <p className="mb-4 max-w-3xl text-muted">
            {data.info.description.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}
          </p>
          <div className="mb-4 flex flex-wrap items-center gap-3">
            <input
              type="search"
              className="control max-w-sm"
              aria-label={apidocs_search()}
              placeholder={apidocs_search()}
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
            <span role="status" className="text-muted">
              {apidocs_count({ count: groups.reduce((sum, { entries }) => sum + entries.length, 0) })}
            </span>
          </div>
          {groups.map((group) => (
            <GroupCard key={group.name} group={group} document={data} />
          ))}
          {groups.length === 0 && <EmptyState icon={SearchX} title={apidocs_none()} />}
        </>
      ) : (
        !error && <TextSkeleton className="min-h-dvh pt-2" />
      )}
    </div>
  );
}
