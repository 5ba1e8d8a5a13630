import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { call } from '../../api/call.ts';
import { routes } from '../../api/routes.ts';
import {
  play_copy,
  play_loading,
  play_reasoning,
  play_regenerate,
  play_stopped,
  play_times,
  play_tokens,
  play_tool,
  request_id,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { IconButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Quota } from '../../ui/Quota.tsx';
import type { Answer } from './model.ts';
import { Prose } from './Prose.tsx';

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** What the call came to: the charge in the log is the one that counts. */
function Cost({ requestId }: { requestId: string }) {
  const { data } = useQuery({
    queryKey: ['play', 'cost', requestId],
    queryFn: async ({ signal }) => {
      const query = { p: 1, page_size: 1, type: 2, request_id: requestId };
      const { items } = await call(routes.log.self, { query, signal });
      return items[0]?.quota;
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: 2,
  });
  return data === undefined ? null : <Quota value={data} digits={6} />;
}

function Facts({ answer }: { answer: Answer }) {
  const { state, promptTokens, completionTokens, firstMs, totalMs, requestId } = answer;
  if (state === 'loading' || state === 'incomplete') return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
      {promptTokens + completionTokens > 0 && <span>{play_tokens({ prompt: promptTokens, completion: completionTokens })}</span>}
      {requestId !== '' && state !== 'error' && <Cost requestId={requestId} />}
      {firstMs > 0 && <span>{play_times({ first: seconds(firstMs), total: seconds(totalMs) })}</span>}
    </p>
  );
}

/** One model's answer in its state: awaited, growing, complete, stopped or failed. */
export function AnswerView({ answer, onRegenerate }: { answer: Answer; onRegenerate?: () => void }) {
  const { model, state, text, reasoning, toolCalls, error, requestId } = answer;
  const isGrowing = state === 'loading' || state === 'incomplete';
  return (
    <article className="flex min-w-0 flex-col gap-2" aria-busy={isGrowing} aria-label={model}>
      <header className="flex h-7 items-center gap-1">
        <h2 className="grow truncate font-medium text-muted text-xs">{model}</h2>
        {text !== '' && <CopyButton text={text} label={play_copy()} />}
        {!isGrowing && onRegenerate && <IconButton icon={RotateCw} size="sm" label={play_regenerate()} onClick={onRegenerate} />}
      </header>
      {reasoning !== '' && (
        <details className="rounded-md bg-sunken px-3 py-2">
          <summary className="min-h-6 text-muted text-xs">{play_reasoning()}</summary>
          <p className="mt-2 whitespace-pre-wrap break-words text-muted">{reasoning}</p>
        </details>
      )}
      {state === 'loading' && (
        <p className="flex items-center gap-2 text-muted">
          <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
          {play_loading()}
        </p>
      )}
      {text !== '' && <Prose source={text} isGrowing={isGrowing} />}
      {toolCalls.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls keep their places
        <div key={index} className="card px-3 py-2 text-xs">
          <p className="mb-1 font-medium">{play_tool({ name: tool.name })}</p>
          <pre className="whitespace-pre-wrap break-all">{tool.arguments}</pre>
        </div>
      ))}
      {state === 'stopped' && <p className="text-muted text-xs">{play_stopped()}</p>}
      {state === 'error' && (
        <Alert tone="bad">
          {error}
          {requestId !== '' && !error.includes(requestId) && (
            <span className="mt-1 block break-all text-xs">{request_id({ id: requestId })}</span>
          )}
        </Alert>
      )}
      <Facts answer={answer} />
    </article>
  );
}
