import { useState } from 'react';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import { howto_copy_code, play_code, play_code_hint } from '../../i18n/generated/messages.ts';
import { chatSample, type SampleKind } from '../../lib/samples.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { SampleKinds } from '../../ui/SampleKinds.tsx';
import { bodyOf, messagesOf, type Setup, type Turn } from './model.ts';

const keyPlace = 'sk-...';

/** The conversation as a call that a program makes, with a key of one's own to be filled in. */
export function CodeDialog({ setup, turns, onClose }: { setup: Setup; turns: readonly Turn[]; onClose(): void }) {
  const [kind, setKind] = useState<SampleKind>('curl');
  const address = serverAddressOf(useStatus());
  const [model = ''] = setup.models;
  const last = turns.at(-1) ?? { text: 'Hello', images: [] };
  const {
    group: _own,
    stream: _always,
    stream_options: _too,
    max_tokens,
    ...body
  } = bodyOf(setup, messagesOf(setup, turns.slice(0, -1), last, model), model);
  const code = chatSample(kind, { address, key: keyPlace, body: { ...body, ...(max_tokens === 0 ? {} : { max_tokens }) } });
  return (
    <Dialog title={play_code()} description={play_code_hint()} onClose={onClose} wide>
      <div className="card">
        <div className="flex items-center gap-1.5 border-b px-3 py-1.5">
          <SampleKinds kind={kind} onChoose={setKind} />
          <span className="ml-auto">
            <CopyButton text={code} label={howto_copy_code()} size="md" />
          </span>
        </div>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="max-h-96 min-h-52 overflow-y-auto whitespace-pre-wrap px-3 py-2.5 text-xs leading-relaxed"
        >
          {code}
        </pre>
      </div>
    </Dialog>
  );
}
