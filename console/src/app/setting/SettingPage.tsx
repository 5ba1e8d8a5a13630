import { getRouteApi, Link } from '@tanstack/react-router';
import { role } from '@tollgate/contract';
import { type FunctionComponent, lazy, Suspense } from 'react';
import { useSession } from '../../api/session.ts';
import { nav_setting, setting_operation, setting_personal, setting_tabs } from '../../i18n/generated/messages.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import type { SettingTab } from './search.ts';

interface Tab {
  key: SettingTab;
  label(): string;
  /** The least role that sees it. */
  role: number;
  Page: FunctionComponent;
}

const tabs: readonly Tab[] = [
  {
    key: 'personal',
    label: setting_personal,
    role: role.common,
    Page: lazy(async () => ({ default: (await import('../../features/account/PersonalTab.tsx')).PersonalTab })),
  },
  {
    key: 'operation',
    label: setting_operation,
    role: role.root,
    Page: lazy(async () => ({ default: (await import('../../features/price-editor/PriceEditor.tsx')).PriceEditor })),
  },
];

const route = getRouteApi('/_console/setting');

/** /setting: one tab a time, chosen by `?tab=`. */
export function SettingPage() {
  const { tab } = route.useSearch();
  const session = useSession();
  const visible = tabs.filter((each) => (session?.role ?? 0) >= each.role);
  const open = visible.find((each) => each.key === tab) ?? visible[0];
  return (
    <>
      <PageHeader title={nav_setting()} />
      {visible.length > 1 && (
        <nav aria-label={setting_tabs()} className="mb-3 flex gap-1 overflow-x-auto border-b">
          {visible.map((each) => (
            <Link
              key={each.key}
              to="/setting"
              search={{ tab: each.key }}
              className="-mb-px inline-flex h-9 shrink-0 items-center border-b-2 border-transparent px-3 text-muted no-underline hover:text-fg aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-fg"
            >
              {each.label()}
            </Link>
          ))}
        </nav>
      )}
      {/* As high as the page at least, so that the footer does not jump when the tab is here. */}
      <div className="min-h-dvh">
        <Suspense fallback={<FormSkeleton />}>{open && <open.Page key={open.key} />}</Suspense>
      </div>
    </>
  );
}
