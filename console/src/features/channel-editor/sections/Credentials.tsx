import type { Channel } from '@tollgate/contract';
import {
  channel_key,
  channel_key_batch,
  channel_key_stored,
  channel_key_together,
  channel_key_unchanged,
  channel_keys_added,
  channel_keys_append,
  channel_keys_hint,
  channel_keys_replace,
  channel_keys_together_hint,
  channel_organization,
  channel_organization_hint,
  section_connection,
  setting_multi_key,
  setting_multi_key_hint,
  setting_multi_key_off,
  setting_multi_key_polling,
  setting_multi_key_random,
} from '../../../i18n/generated/messages.ts';
import { Alert } from '../../../ui/Alert.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Section } from '../../../ui/form/Section.tsx';
import { keysOf } from '../draft.ts';
import { type MultiKey, multiKeyOf, readSetting } from '../settings.ts';
import { describeType, ownAddress } from '../types/index.ts';
import { type ChannelForm, setSetting } from './form.ts';

function keyHint(
  type: number,
  keys: string,
  mode: MultiKey | undefined,
  channel?: Channel,
  appended?: boolean,
): string | undefined {
  const { whole } = describeType(type).key;
  const count = keysOf({ type, keys }).length;
  // Those that are stored cannot be read again: whoever means to add a few must know before.
  if (channel?.key_hint && count > 0 && mode)
    return (appended ? channel_keys_added : channel_keys_replace)({ count, hint: channel.key_hint });
  if (count > 1 && mode) return channel_key_together({ count });
  if (channel) return channel.key_hint ? channel_key_stored({ hint: channel.key_hint }) : undefined;
  if (count > 1) return channel_key_batch({ count });
  if (whole) return undefined;
  return mode ? channel_keys_together_hint() : channel_keys_hint();
}

function KeyField({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const keys = form.watch('keys');
  const type = form.watch('type');
  const mode = multiKeyOf(form.watch('setting'));
  const descriptor = describeType(type);
  const lines = keys.split('\n').length;
  return (
    <>
      <Field
        label={channel_key()}
        hint={keyHint(type, keys, mode, channel, form.watch('appendKeys'))}
        error={form.formState.errors.keys?.message}
        required={!channel}
      >
        {(control) => (
          <textarea
            {...control}
            {...form.register('keys')}
            className="control font-mono text-xs"
            rows={Math.min(8, Math.max(channel && !mode ? 1 : 2, descriptor.key.whole ? 5 : lines + 1))}
            spellCheck={false}
            autoComplete="off"
            placeholder={channel ? channel_key_unchanged() : descriptor.key.placeholder}
          />
        )}
      </Field>
      {mode && channel?.key_hint && (
        <label className="flex min-h-7 items-center gap-2 max-sm:min-h-10">
          <input type="checkbox" className="checkbox" {...form.register('appendKeys')} />
          {channel_keys_append()}
        </label>
      )}
    </>
  );
}

/** One channel per key, or one channel that takes turns with its keys. */
function MultiKeyField({ form }: { form: ChannelForm }) {
  const setting = form.watch('setting');
  return (
    <Field label={setting_multi_key()} hint={setting_multi_key_hint()}>
      {(control) => (
        <select
          {...control}
          className="control"
          disabled={readSetting(setting) === undefined}
          value={multiKeyOf(setting) ?? ''}
          onChange={(event) => setSetting(form, 'multi_key', event.currentTarget.value || undefined)}
        >
          <option value="">{setting_multi_key_off()}</option>
          <option value="random">{setting_multi_key_random()}</option>
          <option value="polling">{setting_multi_key_polling()}</option>
        </select>
      )}
    </Field>
  );
}

function AddressField({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const isSet = form.watch('baseUrl') !== '' || !!channel?.base_url;
  const address = describeType(form.watch('type')).address ?? (isSet ? ownAddress : undefined);
  if (!address) return null;
  return (
    <Field
      label={address.label()}
      hint={address.hint()}
      error={form.formState.errors.baseUrl?.message}
      required={address.required}
    >
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
  );
}

/** Address and key: how the upstream is reached. */
export function Credentials({ form, channel }: { form: ChannelForm; channel?: Channel }) {
  const { errors } = form.formState;
  const type = form.watch('type');
  const { other, organization, key, notice } = describeType(type);
  return (
    <Section title={section_connection()}>
      {notice && <Alert tone="info">{notice()}</Alert>}
      <AddressField form={form} channel={channel} />
      {other && (
        <Field label={other.label()} hint={other.hint()} error={errors.other?.message} required={other.required}>
          {(control) => (
            <textarea
              {...control}
              {...form.register('other')}
              className={other.json ? 'control font-mono text-xs' : 'control'}
              rows={other.json ? 3 : 1}
              spellCheck={false}
              autoComplete="off"
              placeholder={other.placeholder}
            />
          )}
        </Field>
      )}
      <KeyField form={form} channel={channel} />
      {!key.whole && <MultiKeyField form={form} />}
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
