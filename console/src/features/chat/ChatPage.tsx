import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { type Token, tokenStatus } from '@tollgate/contract';
import { MessageSquare } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { serverAddressOf, statusQuery, useStatus } from '../../api/status.ts';
import { tokenListQuery } from '../../api/tokens.ts';
import {
  action_open_window,
  chat_app,
  chat_app_text,
  chat_broken,
  chat_leaves,
  chat_no_token,
  chat_none,
  nav_chat,
  nav_tokens,
  not_found_text,
  not_found_title,
} from '../../i18n/generated/messages.ts';
import { type ChatLink, chatAddress, readChats } from '../../lib/chats.ts';
import { Alert } from '../../ui/Alert.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Frame } from '../../ui/Frame.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { useTitle } from '../../ui/useTitle.ts';

const route = getRouteApi('/_console/chat/$id');
/** The clients are apps of their own: they keep settings, but cannot lead this window away. */
const sandbox = 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads';
const mostTokens = 100;
const leadMs = 1500;

/** The first key that works now. */
function useKey() {
  const { data, error, isLoading, refetch } = useQuery(tokenListQuery({}, 1, mostTokens));
  const usable = (token: Token) => token.status === tokenStatus.enabled;
  const token = data?.items.find(usable);
  // A chat that is open stays: whether its key still works is asked for again whenever the network is back.
  return { key: token && `sk-${token.key}`, error: data ? null : error, isLoading, refetch };
}

/** What the server says now: a link of the last visit may be gone, and would still get the key. */
function useCurrentStatus() {
  const { data, isPlaceholderData, error, refetch } = useQuery(statusQuery);
  return { status: isPlaceholderData && !error ? undefined : data, error: data ? null : error, refetch };
}

const Said = ({ title, text, action }: { title: string; text?: string; action?: ReactNode }) => (
  <EmptyState icon={MessageSquare} title={title} text={text} action={action} />
);

/** A page in a frame; one that no frame may show in a window of its own; what is no page is opened by the system. */
function Client({ link, apiKey }: { link: ChatLink; apiKey: string }) {
  const address = chatAddress(link.template, apiKey, serverAddressOf(useStatus()));
  const url = address === undefined ? null : URL.parse(address);
  // In a frame a page of ours could do what the person may.
  if (address === undefined || url === null || url.origin === location.origin) return <Said title={chat_broken()} />;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    const action = (
      <a href={address} className={buttonClass('primary')}>
        {chat_app({ name: link.label })}
      </a>
    );
    return <Said title={link.label} text={chat_app_text()} action={action} />;
  }
  if (url.protocol === 'http:') {
    const action = (
      <a href={address} target="_blank" rel="noopener noreferrer" className={buttonClass('primary')}>
        {action_open_window()}
      </a>
    );
    return <Said title={link.label} text={chat_leaves({ host: url.host })} action={action} />;
  }
  return (
    <div className="flex h-[calc(100dvh-140px)] min-h-80 flex-col gap-2">
      <Alert tone="warn">
        {chat_leaves({ host: url.host })}{' '}
        <a href={address} target="_blank" rel="noopener noreferrer" className="underline">
          {action_open_window()}
        </a>
      </Alert>
      <Frame
        title={link.label}
        url={address}
        sandbox={sandbox}
        allow="clipboard-write"
        className="w-full grow rounded-md border bg-surface"
      />
    </div>
  );
}

const Page = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <h1 className="sr-only">{title}</h1>
    {children}
  </>
);

/** Where nothing else is on the page. */
const Alone = (said: Parameters<typeof Said>[0]) => (
  <Page title={nav_chat()}>
    <Said {...said} />
  </Page>
);

/** Says it, and leads to the tokens. */
function NoToken() {
  const navigate = useNavigate();
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ to: '/token', replace: true }), leadMs);
    return () => clearTimeout(timer);
  }, [navigate]);
  const action = (
    <Link to="/token" className={buttonClass('primary')}>
      {nav_tokens()}
    </Link>
  );
  return <Alone title={chat_no_token()} action={action} />;
}

/** /chat/$id: one of the operator's chat clients with the first key that works. */
export function ChatPage() {
  const { id } = route.useParams();
  const { status, ...site } = useCurrentStatus();
  const { key, isLoading, ...tokens } = useKey();
  const links = readChats(status?.chats);
  const link = links?.[Number(id)];
  useTitle(link?.label ?? nav_chat());
  const { error, refetch } = site.error ? site : tokens;
  if (error) {
    return (
      <Page title={nav_chat()}>
        <LoadError error={error} retry={refetch} />
      </Page>
    );
  }
  if (status === undefined || isLoading) return <div aria-busy className="min-h-80" />;
  if (links === undefined) return <Alone title={chat_broken()} />;
  if (links.length === 0) return <Alone title={chat_none()} />;
  if (link === undefined) return <Alone title={not_found_title()} text={not_found_text()} />;
  if (key === undefined) return <NoToken />;
  return (
    <Page title={link.label}>
      <Client link={link} apiKey={key} />
    </Page>
  );
}

/** /chat2link: the first of them, in this window. */
export function FirstChatPage() {
  const { status, error } = useCurrentStatus();
  const { key, isLoading } = useKey();
  if (!error && (status === undefined || isLoading)) return <div aria-busy className="min-h-80" />;
  const [link] = readChats(status?.chats) ?? [];
  // The single links of before stand in for an empty list.
  const template = link?.template ?? (status?.chats.length === 0 ? status.chat_link || status.chat_link2 : '');
  const address = template && key && chatAddress(template, key, serverAddressOf(status));
  // Every reason why there is none is told on the page of the first one, and who gets the key where it can be read on the way.
  if (!address || (link && /^http:/i.test(address))) return <Navigate to="/chat/$id" params={{ id: '0' }} replace />;
  location.replace(address);
  return <div aria-busy className="min-h-80" />;
}
