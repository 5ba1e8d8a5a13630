import type { Channel } from '@tollgate/contract';
import { channelTypes } from '@tollgate/contract';
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
import { keyLines } from '../draft.ts';
import { describeType } from '../types/index.ts';
import type { ChannelForm } from './form.ts';

const defaultAddress = new Map(channelTypes.map((type) => [type.type, type.baseUrl]));

function KeyField({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const keys = form.watch('keys');
  const descriptor = describeType(form.watch('type'));
  const count = keyLines({ keys }).length;
  const hint = channel
    ? channel.key_hint
      ? channel_key_stored({ hint: channel.key_hint })
      : undefined
    : count > 1
      ? channel_key_batch({ count })
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
  const { baseUrl, organization } = describeType(type);
  return (
    <Section title={section_connection()}>
      <Field label={baseUrl.label()} hint={baseUrl.hint?.()} error={errors.baseUrl?.message} required={baseUrl.required}>
        {(control) => (
          <input
            {...control}
            {...form.register('baseUrl')}
            className="control"
            type="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={2048}
            placeholder={baseUrl.placeholder ?? defaultAddress.get(type)}
          />
        )}
      </Field>
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
