import type { Channel } from '@tollgate/contract';
import { useChannelTest } from '../../api/channel-ops.ts';
import { channel_test_done, channel_test_failed } from '../../i18n/generated/messages.ts';
import { notify, notifyErrorAs } from '../notify.ts';

/** Tests a channel and says what came of it, also when the place where it was asked for is gone by then. */
export function useReportedTest(): {
  run(channel: Pick<Channel, 'id' | 'name'>, model?: string, keyIndex?: number): void;
  pending: boolean;
} {
  const test = useChannelTest();
  return {
    pending: test.isPending,
    run({ id, name }, model, keyIndex) {
      test.mutateAsync({ channel: { id }, model, keyIndex }).then(
        ({ time }) => notify('ok', channel_test_done({ name, time: time.toFixed(2) })),
        notifyErrorAs((reason) => channel_test_failed({ name, reason })),
      );
    },
  };
}
