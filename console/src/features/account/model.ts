import { account_display_missing } from '../../i18n/generated/messages.ts';
import type { Faults } from '../../ui/form/useSmallForm.ts';
import { displayNameFault, usernameFault } from '../../ui/signin/rules.ts';
import type { Names } from './queries.ts';

/** Names that stay may be longer than new ones: they were imported, or given by a provider. */
export function nameFaults(names: Names, self: Names): Faults<keyof Names> {
  const username = names.username.trim();
  const display = names.display_name.trim();
  const displayFault = display === '' ? account_display_missing() : displayNameFault(display);
  return {
    username: username === self.username ? undefined : usernameFault(username),
    display_name: display !== '' && display === self.display_name ? undefined : displayFault,
  };
}

/** What is sent: only what differs; undefined when nothing does. */
export function changedNames(names: Names, self: Names): Names | undefined {
  const changed = (name: keyof Names): string => (names[name].trim() === self[name] ? '' : names[name].trim());
  const change = { username: changed('username'), display_name: changed('display_name') };
  return change.username || change.display_name ? change : undefined;
}
