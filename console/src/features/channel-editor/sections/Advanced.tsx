import {
  channel_header_override,
  channel_header_override_hint,
  channel_override,
  channel_override_hint,
  channel_setting,
  channel_setting_hint,
} from '../../../i18n/generated/messages.ts';
import { AdvancedFold } from '../../../ui/form/AdvancedFold.tsx';
import { describeType } from '../types/index.ts';
import type { ChannelForm } from './form.ts';
import { JsonControl } from './JsonControl.tsx';

export function SettingField({ form }: { form: ChannelForm }) {
  return (
    <JsonControl
      form={form}
      name="setting"
      label={channel_setting()}
      hint={channel_setting_hint()}
      placeholder={'{"proxy": "http://10.0.0.1:8080"}'}
    />
  );
}

/** What few channels need. */
export function Advanced({ form }: { form: ChannelForm }) {
  const { errors } = form.formState;
  const faulty = Boolean(errors.setting ?? errors.paramOverride ?? errors.headerOverride);
  return (
    <AdvancedFold storageKey="channel-advanced" faulty={faulty}>
      {!describeType(form.watch('type')).settingInMain && <SettingField form={form} />}
      <JsonControl
        form={form}
        name="paramOverride"
        label={channel_override()}
        hint={channel_override_hint()}
        placeholder={'{"temperature": 0.7}'}
      />
      <JsonControl
        form={form}
        name="headerOverride"
        label={channel_header_override()}
        hint={channel_header_override_hint({ placeholder: '{api_key}' })}
        placeholder={'{"x-team": "research"}'}
      />
    </AdvancedFold>
  );
}
