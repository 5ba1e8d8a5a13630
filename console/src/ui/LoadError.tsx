import { RefreshCw, ServerCrash } from 'lucide-react';
import { ApiError, textOf } from '../api/errors.ts';
import { action_retry, list_error, request_id } from '../i18n/generated/messages.ts';
import { Button } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';

interface Read {
  data: unknown;
  error: Error | null;
  refetch(): unknown;
}

/** In place of what could not be read; nothing where it was, which stays when it cannot be read again. */
export function Unread({ query: { data, error, refetch } }: { query: Read }) {
  return error && data === undefined ? <LoadError error={error} retry={refetch} /> : null;
}

/** What the page shows could not be read. */
export function LoadError({ error, retry }: { error: Error; retry(): unknown }) {
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <div role="alert">
      <EmptyState
        icon={ServerCrash}
        title={list_error()}
        text={requestId ? `${textOf(error)}\n${request_id({ id: requestId })}` : textOf(error)}
        action={
          <Button icon={RefreshCw} after={error} onClick={() => retry()}>
            {action_retry()}
          </Button>
        }
      />
    </div>
  );
}
