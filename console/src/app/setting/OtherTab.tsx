import { OptionTab } from '../../features/settings/OptionTab.tsx';
import { VersionCard } from '../../features/settings/VersionCard.tsx';

/** What the site says of itself. */
export function OtherTab() {
  return (
    <OptionTab tab="other">
      <VersionCard />
    </OptionTab>
  );
}
