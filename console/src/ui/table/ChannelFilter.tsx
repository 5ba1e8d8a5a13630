import { filter_channel_id } from '../../i18n/generated/messages.ts';
import { SearchField } from './SearchField.tsx';

interface Props {
  channel: number | undefined;
  onChange(channel: number | undefined): void;
}

/** One channel by its id, for administrators. */
export const ChannelFilter = ({ channel, onChange }: Props) => (
  <SearchField
    label={filter_channel_id()}
    value={channel === undefined ? '' : String(channel)}
    digits
    onCommit={(id) => onChange(Number(id) || undefined)}
    className="w-32 max-sm:w-[calc(50%-4px)]"
  />
);
