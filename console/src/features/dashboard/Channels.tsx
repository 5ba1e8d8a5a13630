import type { DashboardChannel } from '@tollgate/contract';
import { useState } from 'react';
import { dash_channels, dash_channels_all } from '../../i18n/generated/messages.ts';
import { Button } from '../../ui/Button.tsx';
import type { LoadState } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { channelColumns } from './columns.tsx';
import type { LogLink } from './links.ts';
import { isInTrouble } from './model.ts';

/** How many of the dearest channels are shown before somebody asks for all. */
const shownFirst = 20;
const shownTroubled = 10;

interface Props {
  channels: readonly DashboardChannel[];
  link: LogLink;
  state: LoadState;
}

/** The channels that carried the most, those in trouble behind them, and all on request. */
export function Channels({ channels, link, state }: Props) {
  const [all, setAll] = useState(false);
  const rest = channels.slice(shownFirst);
  const rows = all ? channels : [...channels.slice(0, shownFirst), ...rest.filter(isInTrouble).slice(0, shownTroubled)];
  return (
    <section>
      <h2 className="mb-2 text-base">{dash_channels()}</h2>
      <DataTable
        label={dash_channels()}
        columns={channelColumns(link)}
        rows={rows}
        state={state}
        size={rows.length}
        empty={null}
      />
      {rows.length < channels.length && (
        <div className="mt-2">
          <Button onClick={() => setAll(true)}>{dash_channels_all({ count: channels.length })}</Button>
        </div>
      )}
    </section>
  );
}
