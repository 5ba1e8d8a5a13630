import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  settings_chat_add,
  settings_chat_json,
  settings_chat_link,
  settings_chat_link_of,
  settings_chat_name,
  settings_chat_name_of,
  settings_chat_none,
  settings_chat_remove,
  settings_chat_table,
  settings_chat_up,
} from '../../i18n/generated/messages.ts';
import type { ChatLink } from '../../lib/chats.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { JsonField } from '../../ui/form/JsonField.tsx';
import { chatsIn, writeChats } from './model.ts';

interface Props {
  label: string;
  hint?: string;
  text: string;
  error?: string;
  set(text: string): void;
}

const maxChats = 50;

function Row({
  chat,
  row,
  change,
  remove,
  up,
}: {
  chat: ChatLink;
  row: number;
  change(chat: ChatLink): void;
  remove(): void;
  up(): void;
}) {
  return (
    <div className="flex items-center gap-2 max-sm:flex-wrap max-sm:rounded-md max-sm:border max-sm:p-2">
      <input
        className="control w-56 shrink-0 max-sm:w-full"
        aria-label={settings_chat_name_of({ row })}
        placeholder={settings_chat_name()}
        maxLength={100}
        value={chat.label}
        onChange={(event) => change({ ...chat, label: event.currentTarget.value })}
      />
      <input
        className="control min-w-0 grow font-mono text-xs"
        aria-label={settings_chat_link_of({ row })}
        placeholder={settings_chat_link()}
        maxLength={2000}
        spellCheck={false}
        value={chat.template}
        onChange={(event) => change({ ...chat, template: event.currentTarget.value })}
      />
      <IconButton icon={ArrowUp} label={settings_chat_up({ row })} disabled={row === 1} onClick={up} />
      <IconButton icon={Trash2} tone="bad" label={settings_chat_remove({ row })} onClick={remove} />
    </div>
  );
}

/** The rows are what the text says, so that they go back with it. */
function Table({ rows, set }: { rows: readonly ChatLink[]; set(text: string): void }) {
  const write = (next: readonly ChatLink[]) => set(writeChats(next));
  const put = (index: number, chat: ChatLink) => write(rows.map((each, at) => (at === index ? chat : each)));
  const up = (index: number) => {
    const [before, moved] = [rows[index - 1], rows[index]];
    if (before && moved) write(rows.map((each, at) => (at === index - 1 ? moved : at === index ? before : each)));
  };
  return (
    <div className="flex flex-col gap-2">
      {rows.length === 0 && <p className="text-muted">{settings_chat_none()}</p>}
      {rows.map((chat, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name while they are edited
          key={index}
          chat={chat}
          row={index + 1}
          change={(next) => put(index, next)}
          remove={() => write(rows.filter((_, at) => at !== index))}
          up={() => up(index)}
        />
      ))}
      <div>
        <Button
          size="sm"
          icon={Plus}
          disabled={rows.length >= maxChats}
          onClick={() => write([...rows, { label: '', template: '' }])}
        >
          {settings_chat_add()}
        </Button>
      </div>
    </div>
  );
}

/** The chat programs as a list of names and links, or as JSON. */
export function ChatsField({ label, hint, text, error, set }: Props) {
  const [json, setJson] = useState(false);
  const chats = chatsIn(text);
  const asTable = !json && chats !== undefined;
  return (
    <>
      {asTable ? (
        <fieldset className="min-w-0">
          <legend className="mb-1 font-medium">{label}</legend>
          <Table rows={chats} set={set} />
          {error && (
            <p role="alert" className="mt-1 text-bad text-xs">
              {error}
            </p>
          )}
          {hint && <p className="mt-1 text-muted text-xs">{hint}</p>}
        </fieldset>
      ) : (
        <JsonField label={label} hint={hint} value={text} error={error} onChange={set} />
      )}
      <Button size="sm" tone="quiet" className="mt-1" disabled={json && chats === undefined} onClick={() => setJson(asTable)}>
        {asTable ? settings_chat_json() : settings_chat_table()}
      </Button>
    </>
  );
}
