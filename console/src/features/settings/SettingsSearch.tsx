import { Link, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useId, useState } from 'react';
import { useStatus } from '../../api/status.ts';
import {
  setting_operation,
  setting_other,
  setting_system,
  settings_search,
  settings_search_none,
  settings_search_placeholder,
} from '../../i18n/generated/messages.ts';
import { type Entry, groupLabel, labelOf, type ShownTab } from './entries.ts';
import { findEntries, tabOf, targetOf } from './find.ts';
import { jumpTo } from './jump.ts';

const tabs: Record<ShownTab, () => string> = { operation: setting_operation, system: setting_system, other: setting_other };

/** Finds an option on any tab by its name, its hint or its key, and goes there. */
export function SettingsSearch() {
  const [query, setQuery] = useState('');
  const navigate = useNavigate();
  const id = useId();
  const found = findEntries(query, useStatus()?.self_use_mode_enabled);
  const go = (entry: Entry) => {
    setQuery('');
    const { tab, hash } = targetOf(entry);
    void navigate({ to: '/setting', search: { tab }, hash });
    jumpTo(hash);
  };
  const first = found[0];
  return (
    <form
      aria-label={settings_search()}
      className="relative mb-4 max-w-md"
      onSubmit={(event) => {
        event.preventDefault();
        if (first) go(first);
      }}
    >
      <label htmlFor={id} className="sr-only">
        {settings_search()}
      </label>
      <Search size={15} aria-hidden className="pointer-events-none absolute top-2 left-2.5 text-muted max-sm:top-3" />
      <input
        id={id}
        type="search"
        className="control pl-8"
        placeholder={settings_search_placeholder()}
        autoComplete="off"
        maxLength={64}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setQuery('');
        }}
      />
      {query.trim() !== '' && (
        <ul className="absolute inset-x-0 top-full z-20 mt-1 rounded-lg border bg-raised p-1 shadow-overlay">
          {found.map((entry) => (
            <li key={entry.key}>
              <Link
                to="/setting"
                search={{ tab: tabOf(entry) }}
                hash={targetOf(entry).hash}
                className="block rounded-md px-2 py-1.5 text-fg hover:bg-grey-tint focus-visible:bg-grey-tint"
                onClick={() => {
                  setQuery('');
                  jumpTo(targetOf(entry).hash);
                }}
              >
                {labelOf(entry.key)}
                <span className="block truncate text-muted text-xs">
                  {tabs[tabOf(entry)]()} / {groupLabel(entry.group)} · {entry.key}
                </span>
              </Link>
            </li>
          ))}
          {found.length === 0 && <li className="px-2 py-1.5 text-muted">{settings_search_none()}</li>}
        </ul>
      )}
    </form>
  );
}
