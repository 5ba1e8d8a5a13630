import { lazy, Suspense } from 'react';
import { OptionTab } from '../../features/settings/OptionTab.tsx';
import { settings_groups_ratio } from '../../i18n/generated/messages.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';

const LogCleanup = lazy(async () => ({ default: (await import('../../features/settings/LogCleanup.tsx')).LogCleanup }));
const PriceEditor = lazy(async () => ({
  default: (await import('../../features/price-editor/PriceEditor.tsx')).PriceEditor,
}));

/** Why two of the groups' options are not here. */
function GroupRatioNote() {
  return <p className="mt-3 text-muted text-xs">{settings_groups_ratio()}</p>;
}

const extras = {
  groups: <GroupRatioNote />,
  logs: (
    <Suspense fallback={<FormSkeleton />}>
      <LogCleanup />
    </Suspense>
  ),
  prices: (
    <Suspense fallback={<FormSkeleton />}>
      <PriceEditor />
    </Suspense>
  ),
};

/** What the operator turns day by day; the prices come last. */
export function OperationTab() {
  return <OptionTab tab="operation" extras={extras} />;
}
