import { getRouteApi, Link } from '@tanstack/react-router';
import { role } from '@tollgate/contract';
import { useLastSession } from '../../api/session.ts';
import {
  nav_setting,
  setting_history,
  setting_operation,
  setting_other,
  setting_personal,
  setting_system,
  setting_tabs,
} from '../../i18n/generated/messages.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { type Part, part } from '../../ui/part.tsx';
import { Tabs, tabProps } from '../../ui/Tabs.tsx';
import type { SettingTab } from './search.ts';

interface Tab {
  key: SettingTab;
  label(): string;
  /** The least role that sees it. */
  role: number;
  Page: Part<object>;
}

const waiting = () => <FormSkeleton />;
const tabs: readonly Tab[] = [
  {
    key: 'personal',
    label: setting_personal,
    role: role.common,
    Page: part(() => import('../../features/account/PersonalTab.tsx'), 'PersonalTab', waiting),
  },
  {
    key: 'operation',
    label: setting_operation,
    role: role.root,
    Page: part(() => import('./OperationTab.tsx'), 'OperationTab', waiting),
  },
  {
    key: 'system',
    label: setting_system,
    role: role.root,
    Page: part(() => import('./SystemTab.tsx'), 'SystemTab', waiting),
  },
  {
    key: 'other',
    label: setting_other,
    role: role.root,
    Page: part(() => import('./OtherTab.tsx'), 'OtherTab', waiting),
  },
  {
    key: 'history',
    label: setting_history,
    role: role.root,
    Page: part(() => import('../../features/settings/HistoryTab.tsx'), 'HistoryTab', waiting),
  },
];

/** Reads a tab's program together with the page's own; a tab that is not there is the first one. */
export const preloadTab = (key: SettingTab | undefined): Promise<unknown> | undefined =>
  (tabs.find((each) => each.key === key) ?? tabs[0])?.Page.preload();

const route = getRouteApi('/_console/setting');

/** /setting: one tab a time, chosen by `?tab=`. */
export function SettingPage() {
  const { tab } = route.useSearch();
  const session = useLastSession();
  const visible = tabs.filter((each) => (session?.role ?? 0) >= each.role);
  const open = visible.find((each) => each.key === tab) ?? visible[0];
  return (
    <>
      <PageHeader title={nav_setting()} />
      {visible.length > 1 && (
        <Tabs label={setting_tabs()}>
          {visible.map((each) => (
            <Link key={each.key} to="/setting" search={{ tab: each.key }} {...tabProps(each === open)}>
              {each.label()}
            </Link>
          ))}
        </Tabs>
      )}
      {/* As high as the page at least, so that the footer does not jump when the tab is here. */}
      <div className="min-h-dvh">{open && <open.Page key={open.key} />}</div>
    </>
  );
}
