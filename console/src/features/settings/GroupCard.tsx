import type { ReactNode } from 'react';
import {
  action_save,
  settings_affects,
  settings_password_off,
  settings_password_off_text,
  settings_password_off_title,
  settings_save_group,
} from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/overlays.ts';
import { OptionField } from './controls.tsx';
import { areaLabel, type Entry, type Group, groupLabel } from './entries.ts';
import type { Editor } from './useEditor.ts';

/** Controls that need the width. */
const wide = new Set(['json', 'lines', 'markup', 'chats', 'words']);

/** The one switch that asks: without it nobody may be able to come back in. */
async function mayTurnOff(key: string, text: string | undefined): Promise<boolean> {
  if (key !== 'PasswordLoginEnabled' || text !== 'false') return true;
  return confirm({
    title: settings_password_off_title(),
    text: settings_password_off_text(),
    confirmLabel: settings_password_off(),
    tone: 'bad',
  });
}

function Option({ entry, editor }: { entry: Entry; editor: Editor }) {
  const { key, control } = entry;
  const row = editor.rows.get(key);
  if (row === undefined) return null;
  const set = async (text: string | undefined) => {
    if (await mayTurnOff(key, text)) editor.set(key, text);
  };
  const mark = editor.isChanged(key) ? 'border-accent' : 'border-transparent';
  return (
    <div
      id={`opt-${key}`}
      data-changed={editor.isChanged(key) || undefined}
      className={`-ml-3.5 min-w-0 border-l-2 pl-3 ${wide.has(control) ? 'col-span-full' : ''} ${mark}`}
    >
      <OptionField
        entry={entry}
        row={row}
        text={editor.text(entry)}
        error={editor.error(entry)}
        set={(text) => (control === 'switch' ? void set(text) : editor.set(key, text))}
      />
    </div>
  );
}

interface Props {
  group: Group;
  editor: Editor;
  extra?: ReactNode;
}

/** One subject of the settings: its options, and a button that saves what was changed among them. */
export function GroupCard({ group, editor, extra }: Props) {
  const { name, affects, entries } = group;
  const title = groupLabel(name);
  const edited = entries.filter(({ control }) => control !== 'prices');
  // The price editor is a page of its own, with its own head.
  if (edited.length === 0) {
    return (
      <div id={name} className="scroll-mt-16">
        {extra}
      </div>
    );
  }
  return (
    <section id={name} aria-label={title} className="card scroll-mt-16 px-5 py-4 max-sm:px-4">
      <div className="mb-3 flex flex-wrap items-baseline gap-x-3">
        <h2 className="text-base">{title}</h2>
        <span className="text-muted text-xs">{settings_affects({ area: areaLabel(affects) })}</span>
      </div>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!editor.pending) editor.save(edited);
        }}
      >
        <div className="grid grid-cols-2 items-start gap-x-8 gap-y-4 max-sm:grid-cols-1">
          {edited.map((entry) => (
            <Option key={entry.key} entry={entry} editor={editor} />
          ))}
        </div>
        <div className="mt-4 flex justify-end">
          <Button type="submit" pending={editor.pending} aria-label={settings_save_group({ group: title })}>
            {action_save()}
          </Button>
        </div>
      </form>
      {extra}
    </section>
  );
}
