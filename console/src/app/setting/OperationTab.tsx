import { OptionTab } from '../../features/settings/OptionTab.tsx';
import { settings_groups_ratio } from '../../i18n/generated/messages.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { part } from '../../ui/part.tsx';

const LogCleanup = part(
  () => import('../../features/settings/LogCleanup.tsx'),
  'LogCleanup',
  () => <FormSkeleton />,
);
const PriceEditor = part(
  () => import('../../features/price-editor/PriceEditor.tsx'),
  'PriceEditor',
  () => <FormSkeleton />,
);

/** Why two of the groups' options are not here. */
function GroupRatioNote() {
  return <p className="mt-3 text-muted text-xs">{settings_groups_ratio()}</p>;
}

const extras = {
  groups: <GroupRatioNote />,
  logs: <LogCleanup />,
  prices: <PriceEditor />,
};

/** What the operator turns day by day; the prices come last. */
export function OperationTab() {
  return <OptionTab tab="operation" extras={extras} />;
}
