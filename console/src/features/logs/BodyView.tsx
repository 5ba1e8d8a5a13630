import { useQuery } from '@tanstack/react-query';
import type { LogBody } from '@tollgate/contract';
import { Braces, Text as TextIcon } from 'lucide-react';
import { useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import {
  body_audited,
  body_copy_request,
  body_copy_response,
  body_empty,
  body_kept,
  body_missing,
  body_missing_hint,
  body_none_told,
  body_raw,
  body_redacted,
  body_request,
  body_response,
  body_status,
  body_title,
  body_tree,
  body_truncated,
} from '../../i18n/generated/messages.ts';
import { formatTime } from '../../lib/time.ts';
import { Badge } from '../../ui/Badge.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { JsonTree } from '../../ui/JsonTree.tsx';
import { parsedBody } from './body.ts';
import { bodyQuery } from './queries.ts';
import { ReadPart } from './ReadPart.tsx';

function Part({ title, text, copyLabel }: { title: string; text: string; copyLabel: string }) {
  const parsed = parsedBody(text);
  const [raw, setRaw] = useState(parsed === undefined);
  return (
    <section aria-label={title} className="min-w-0 grow basis-80">
      <div className="mb-1 flex min-h-8 items-center gap-1">
        <h3 className="grow font-semibold text-sm">{title}</h3>
        {parsed !== undefined && (
          <IconButton
            icon={raw ? Braces : TextIcon}
            label={raw ? body_tree() : body_raw()}
            size="sm"
            onClick={() => setRaw(!raw)}
          />
        )}
        {text !== '' && <CopyButton text={text} label={copyLabel} />}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div tabIndex={0} className="max-h-96 overflow-auto rounded-md border bg-surface p-2">
        {text === '' ? (
          <span className="text-muted">{body_empty()}</span>
        ) : raw || parsed === undefined ? (
          <pre className="whitespace-pre-wrap break-words text-xs">{text}</pre>
        ) : (
          <JsonTree value={parsed} />
        )}
      </div>
    </section>
  );
}

/** What a call was asked and answered, where the operator keeps it. */
export function BodyView({ logId, own }: { logId: number; own: boolean }) {
  const admin = isAdmin(useSession());
  const none = (
    <>
      {body_missing()} {admin && body_missing_hint()}
    </>
  );
  return (
    <ReadPart query={useQuery(bodyQuery(logId))} none={none}>
      {(body) => <Bodies body={body} own={own} />}
    </ReadPart>
  );
}

function Bodies({ body, own }: { body: LogBody; own: boolean }) {
  return (
    <section aria-label={body_title()} className="min-w-0">
      <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
        <Badge tone={body.status >= 200 && body.status < 300 ? 'ok' : 'bad'}>
          {body.status > 0 ? body_status({ status: body.status }) : body_none_told()}
        </Badge>
        <span>{body_kept({ time: formatTime(body.created_at) })}</span>
        <span>
          {body_redacted()} {!own && body_audited()}
        </span>
        {body.truncated && <span className="text-warn">{body_truncated()}</span>}
      </p>
      <div className="flex flex-wrap gap-4">
        <Part title={body_request()} text={body.request} copyLabel={body_copy_request()} />
        <Part title={body_response()} text={body.response} copyLabel={body_copy_response()} />
      </div>
    </section>
  );
}
