import type { Channel } from '@tollgate/contract';
import {
  channel_key,
  channel_key_batch,
  channel_key_stored,
  channel_key_unchanged,
  channel_keys_hint,
  channel_organization,
  channel_organization_hint,
  section_connection,
} from '../../../i18n/generated/messages.ts';
import { Field } from '../../../ui/Field.tsx';
import { Section } from '../../../ui/form/Section.tsx';
import { keysOf } from '../draft.ts';
import { describeType } from '../types/index.ts';
import type { ChannelForm } from './form.ts';

function KeyField({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const keys = form.watch('keys');
  const type = form.watch('type');
  const descriptor = describeType(type);
  const count = keysOf({ type, keys }).length;
  const hint = channel
    ? channel.key_hint
      ? channel_key_stored({ hint: channel.key_hint })
      : undefined
    : count > 1
      ? channel_key_batch({ count })
      : descriptor.key.whole
        ? undefined
        : channel_keys_hint();
  return (
    <Field label={channel_key()} hint={hint} error={form.formState.errors.keys?.message} required={!channel}>
      {(control) => (
        <textarea
          {...control}
          {...form.register('keys')}
          className="control font-mono text-xs"
          rows={channel ? 1 : Math.min(8, Math.max(2, count + 1))}
          spellCheck={false}
          autoComplete="off"
          placeholder={channel ? channel_key_unchanged() : descriptor.key.placeholder}
        />
      )}
    </Field>
  );
}

/** Address and key: how the upstream is reached. */
export function Credentials({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const { errors } = form.formState;
  const type = form.watch('type');
  const { address, other, organization } = describeType(type);
  return (
    <Section title={section_connection()}>
      {address && (
        <Field label={address.label()} hint={address.hint()} error={errors.baseUrl?.message} required={address.required}>
          {(control) => (
            <input
              {...control}
              {...form.register('baseUrl')}
              className="control"
              type="url"
              autoComplete="off"
              spellCheck={false}
              maxLength={2048}
              placeholder={address.placeholder}
            />
          )}
        </Field>
      )}
      {other && (
        <Field label={other.label()} hint={other.hint()} error={errors.other?.message} required={other.required}>
          {(control) => (
            <textarea
              {...control}
              {...form.register('other')}
              className="control"
              rows={1}
              spellCheck={false}
              autoComplete="off"
            />
          )}
        </Field>
      )}
      <KeyField form={form} channel={channel} />
      {organization && (
        <Field label={channel_organization()} hint={channel_organization_hint()}>
          {(control) => (
            <input
              {...control}
              {...form.register('organization')}
              className="control"
              autoComplete="off"
              maxLength={255}
              placeholder="org-..."
            />
          )}
        </Field>
      )}
    </Section>
  );
}
