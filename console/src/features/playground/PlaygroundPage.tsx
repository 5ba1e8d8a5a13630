import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Code, MessagesSquare, SlidersHorizontal, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isAdmin, useSession } from '../../api/session.ts';
import {
  nav_playground,
  play_add_channel,
  play_clear,
  play_clear_confirm,
  play_clear_text,
  play_code,
  play_empty,
  play_empty_text,
  play_no_models,
  play_setup,
} from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { Button, buttonClass, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Drawer } from '../../ui/overlay/Drawer.tsx';
import { confirm } from '../../ui/overlays.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { CodeDialog } from './CodeDialog.tsx';
import { Composer } from './Composer.tsx';
import { chatModelsQuery, preferredModel, toolsFault, turnsWithPictures } from './model.ts';
import { SetupPanel } from './SetupPanel.tsx';
import { TurnView } from './TurnView.tsx';
import { type Chat, useChat } from './useChat.ts';

/** Models that exist; the usual one when none was chosen yet. */
function useModels({ setup, change }: Chat) {
  const query = useQuery(chatModelsQuery);
  const { data } = query;
  const chosen = setup.models;
  useEffect(() => {
    if (data === undefined || data.length === 0) return;
    const left = chosen.filter((model) => data.includes(model));
    if (left.length > 0 && left.length === chosen.length) return;
    const first = data.includes(preferredModel) ? preferredModel : (data[0] ?? '');
    change({ models: left.length > 0 ? left : [first] });
  }, [data, chosen, change]);
  return query;
}

type Models = ReturnType<typeof useModels>;

/** Before the first question; an operator without a channel learns here what is missing. */
function Nothing({ models: { data, error, refetch } }: { models: Models }) {
  const admin = isAdmin(useSession());
  if (error && !data) return <LoadError error={error} retry={refetch} />;
  if (data?.length !== 0) return <EmptyState icon={MessagesSquare} title={play_empty()} text={play_empty_text()} />;
  return (
    <EmptyState
      icon={MessagesSquare}
      title={play_no_models()}
      action={
        admin && (
          <Link to="/channel/add" className={buttonClass('primary')}>
            {play_add_channel()}
          </Link>
        )
      }
    />
  );
}

function Conversation({ chat, models }: { chat: Chat; models: Models }) {
  const place = useRef<HTMLDivElement>(null);
  const { turns } = chat;
  const pictured = turnsWithPictures(turns);
  const followed = useRef('');
  // Follows what was asked, however long it is, and its answer, unless somebody has scrolled up to read.
  useEffect(() => {
    const box = place.current;
    const last = turns.at(-1);
    if (box === null || last === undefined) return;
    const isNew = last.id !== followed.current;
    followed.current = last.id;
    if (isNew || box.scrollHeight - box.scrollTop - box.clientHeight < 160) box.scrollTop = box.scrollHeight;
  }, [turns]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div ref={place} tabIndex={0} role="log" aria-label={nav_playground()} className="min-h-0 grow overflow-y-auto px-4 py-5">
      {turns.length === 0 ? (
        <Nothing models={models} />
      ) : (
        <div className="mx-auto flex max-w-[1080px] flex-col gap-8">
          {turns.map((turn) => (
            <TurnView key={turn.id} turn={turn} chat={chat} isSent={pictured.has(turn)} />
          ))}
        </div>
      )}
    </div>
  );
}

/** /playground: a chat with any model, as the price list says and as the account pays. */
export function PlaygroundPage() {
  useTitle(nav_playground());
  const userId = useSession()?.id ?? -1;
  return <Playground key={userId} userId={userId} />;
}

function Playground({ userId }: { userId: number }) {
  const chat = useChat(userId);
  const models = useModels(chat);
  const phone = usePhone();
  const [open, setOpen] = useState<'setup' | 'code'>();
  const { setup, turns, busy } = chat;
  const blocked = models.data?.length === 0 ? play_no_models() : toolsFault(setup.tools);
  const clear = async () => {
    const question = { title: play_clear(), text: play_clear_text(), confirmLabel: play_clear_confirm(), tone: 'bad' as const };
    if (await confirm(question)) chat.clear();
  };
  return (
    // The window without the shell's head, foot and edges: a long talk scrolls, and what is typed next stays in view.
    <div className="flex h-[calc(100dvh-114px)]">
      {!phone && (
        <aside className="w-72 shrink-0 overflow-y-auto border-r px-4 py-4" aria-label={play_setup()}>
          <SetupPanel setup={setup} onChange={chat.change} />
        </aside>
      )}
      <section className="flex min-w-0 grow flex-col">
        <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-1 border-b px-4">
          <h1 className="grow text-lg">{nav_playground()}</h1>
          {phone && <IconButton icon={SlidersHorizontal} label={play_setup()} onClick={() => setOpen('setup')} />}
          {phone ? (
            <>
              <IconButton icon={Code} label={play_code()} onClick={() => setOpen('code')} disabled={blocked !== ''} />
              <IconButton icon={Trash2} label={play_clear()} onClick={() => void clear()} disabled={turns.length === 0} />
            </>
          ) : (
            <>
              <Button icon={Code} tone="quiet" onClick={() => setOpen('code')} disabled={blocked !== ''}>
                {play_code()}
              </Button>
              <Button icon={Trash2} tone="quiet" onClick={() => void clear()} disabled={turns.length === 0}>
                {play_clear()}
              </Button>
            </>
          )}
        </header>
        <Conversation chat={chat} models={models} />
        <Composer busy={busy} blocked={blocked} pending={setup.models.length === 0} onSend={chat.send} onStop={chat.stop} />
      </section>
      {open === 'setup' && (
        <Drawer title={play_setup()} onClose={() => setOpen(undefined)}>
          <SetupPanel setup={setup} onChange={chat.change} />
        </Drawer>
      )}
      {open === 'code' && <CodeDialog setup={setup} turns={turns} onClose={() => setOpen(undefined)} />}
    </div>
  );
}
