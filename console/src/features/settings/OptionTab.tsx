import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { OptionGroupName } from '@tollgate/contract';
import { type ReactNode, useEffect } from 'react';
import { useStatus } from '../../api/status.ts';
import {
  settings_revert,
  settings_save_all,
  settings_sections,
  settings_self_use,
  settings_unsaved,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { useGuard } from '../../ui/form/useGuard.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { type Group, groupLabel, type ShownTab, shownGroups } from './entries.ts';
import { GroupCard } from './GroupCard.tsx';
import { jumpTo } from './jump.ts';
import type { Rows } from './model.ts';
import { optionsQuery } from './queries.ts';
import { SettingsSearch } from './SettingsSearch.tsx';
import { useEditor } from './useEditor.ts';

interface Props {
  tab: ShownTab;
  /** What stands below the options of a group. */
  extras?: Partial<Record<OptionGroupName, ReactNode>>;
  /** After the groups. */
  children?: ReactNode;
}

function Sections({ tab, groups }: { tab: ShownTab; groups: readonly Group[] }) {
  return (
    <nav aria-label={settings_sections()} className="sticky top-16 w-40 shrink-0 self-start max-lg:hidden">
      <ul className="flex flex-col gap-0.5">
        {groups.map(({ name }) => (
          <li key={name}>
            <Link
              to="/setting"
              search={{ tab }}
              hash={name}
              replace
              className="block rounded-md px-2 py-1 text-muted hover:bg-grey-tint hover:text-fg"
              onClick={() => jumpTo(name)}
            >
              {groupLabel(name)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Follows the address to the option that it names. */
function useHashJump(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (hash !== '') jumpTo(hash);
  }, [hash]);
}

function Groups({ tab, rows, extras = {}, children }: Props & { rows: Rows }) {
  const isSelfUse = useStatus()?.self_use_mode_enabled === true;
  const groups = shownGroups(isSelfUse).filter((group) => group.tab === tab);
  const editor = useEditor(groups, rows);
  useGuard(editor.changes.length > 0);
  useHashJump();
  return (
    <div className="flex gap-5">
      <Sections tab={tab} groups={groups} />
      <div className="flex min-w-0 max-w-4xl grow flex-col gap-4">
        {isSelfUse && tab !== 'other' && <Alert tone="info">{settings_self_use()}</Alert>}
        {groups.map((group) => (
          <GroupCard key={group.name} group={group} editor={editor} extra={extras[group.name]} />
        ))}
        {children}
        {editor.changes.length > 0 && (
          <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-2 rounded-lg border bg-raised px-4 py-3">
            <span role="status" className="mr-auto">
              {settings_unsaved({ count: editor.changes.length })}
            </span>
            <Button onClick={editor.revert}>{settings_revert()}</Button>
            <Button tone="primary" pending={editor.pending} onClick={() => editor.save(groups.flatMap(({ entries }) => entries))}>
              {settings_save_all()}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

/** The options of one tab in their groups, with a search over all of them. */
export function OptionTab(props: Props) {
  const query = useQuery(optionsQuery);
  return (
    <>
      <SettingsSearch />
      {query.data ? (
        <Groups {...props} rows={query.data} />
      ) : query.error ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <FormSkeleton />
      )}
    </>
  );
}
