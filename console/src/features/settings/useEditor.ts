import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  save_done,
  save_unchanged,
  settings_check,
  settings_failed,
  settings_partial,
  settings_secret_moved,
  settings_server_first,
} from '../../i18n/generated/messages.ts';
import { notify } from '../../ui/notify.ts';
import type { Entry, Group } from './entries.ts';
import { jumpTo } from './jump.ts';
import { type Change, changesOf, type Draft, faultOf, type Rows, shownText } from './model.ts';
import { optionsQuery, useSaveOptions } from './queries.ts';

export interface Editor {
  rows: Rows;
  changes: readonly Change[];
  pending: boolean;
  text(entry: Entry): string;
  /** Of what was edited: its fault, or why the server refused it. */
  error(entry: Entry): string | undefined;
  isChanged(key: string): boolean;
  /** Undefined takes the change back. */
  set(key: string, text: string | undefined): void;
  /** Saves what was changed among these options. */
  save(entries: readonly Entry[]): void;
  revert(): void;
}

/** What was edited on a tab and not yet saved. */
export function useEditor(groups: readonly Group[], rows: Rows): Editor {
  const [draft, setDraft] = useState<Draft>({});
  const [failures, setFailures] = useState<Readonly<Record<string, string>>>({});
  const saving = useSaveOptions();
  const client = useQueryClient();
  const all = groups.flatMap(({ entries }) => entries);
  const changes = changesOf(all, rows, draft);
  const changed = new Set(changes.map(({ key }) => key));
  const text = (entry: Entry): string => draft[entry.key] ?? shownText(entry, rows.get(entry.key)?.value ?? '');
  const fault = (entry: Entry): string | undefined => {
    const row = rows.get(entry.key);
    return changed.has(entry.key) && row ? faultOf(entry, row, text(entry)) : undefined;
  };

  const send = (wanted: readonly Change[]) =>
    saving.mutate([...wanted], {
      onSuccess({ done, failures: refused }) {
        setFailures(refused);
        // What was typed while it was saved stays to be saved.
        const isSaved = (key: string, text: string) => done.includes(key) && text === draft[key];
        setDraft((current) => Object.fromEntries(Object.entries(current).filter(([key, text]) => !isSaved(key, text))));
        const failed = Object.keys(refused);
        if (failed.length === 0) {
          notify('ok', save_done());
          // A secret does not go along to another address than it was entered for.
          const isSet = (key: string) => client.getQueryData(optionsQuery.queryKey)?.get(key)?.is_set;
          const dropped = all.find(({ key }) => rows.get(key)?.is_set && !isSet(key) && !done.includes(key));
          if (!dropped) return;
          notify('warn', settings_secret_moved());
          return jumpTo(dropped.key);
        }
        notify('bad', done.length === 0 ? settings_failed() : settings_partial());
        if (failed[0]) jumpTo(failed[0]);
      },
    });

  const save = (entries: readonly Entry[]) => {
    const wanted = changesOf(entries, rows, draft);
    if (wanted.length === 0) return notify('warn', save_unchanged());
    const faulty = entries.find((entry) => fault(entry) !== undefined);
    if (faulty) {
      notify('warn', settings_check());
      return jumpTo(faulty.key);
    }
    if (needsAddress(entries, wanted) && !(wanted.find(isAddress)?.value ?? rows.get('ServerAddress')?.value)) {
      notify('warn', settings_server_first());
      return jumpTo('ServerAddress');
    }
    send(wanted);
  };

  return {
    rows,
    changes,
    pending: saving.isPending,
    text,
    error: (entry) => fault(entry) ?? failures[entry.key],
    isChanged: (key) => changed.has(key),
    set(key, next) {
      setDraft(({ [key]: _, ...others }) => (next === undefined ? others : { ...others, [key]: next }));
      const { [key]: __, ...stillRefused } = failures;
      setFailures(stillRefused);
    },
    save,
    revert() {
      setDraft({});
      setFailures({});
    },
  };
}

const isAddress = ({ key }: Change): boolean => key === 'ServerAddress';

/** Payments come back to the server address, so that it is asked for first. */
const needsAddress = (entries: readonly Entry[], wanted: readonly Change[]): boolean =>
  entries.some(({ key, group }) => /^(payment|stripe)$/.test(group) && wanted.some((change) => change.key === key));
