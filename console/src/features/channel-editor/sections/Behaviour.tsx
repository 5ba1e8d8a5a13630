import {
  section_behaviour,
  setting_broken,
  setting_coalesce,
  setting_coalesce_hint,
  setting_connect,
  setting_default,
  setting_drain,
  setting_drain_hint,
  setting_first_byte,
  setting_force_format,
  setting_force_format_hint,
  setting_hedge,
  setting_hedge_hint,
  setting_idle,
  setting_off,
  setting_proxy,
  setting_proxy_hint,
  setting_thinking,
  setting_thinking_hint,
  setting_total,
} from '../../../i18n/generated/messages.ts';
import { Alert } from '../../../ui/Alert.tsx';
import { Field, SwitchField } from '../../../ui/Field.tsx';
import { Pair, Section } from '../../../ui/form/Section.tsx';
import { type DurationKey, readSetting, settingFault } from '../settings.ts';
import { type ChannelForm, setSetting } from './form.ts';

interface PartProps {
  form: ChannelForm;
  setting: Record<string, unknown>;
}

/** `empty`: what holds while nothing is written there. */
interface DurationProps extends PartProps {
  name: DurationKey;
  label: string;
  hint?: string;
  empty?: string;
}

function Duration({ form, setting, name, label, hint, empty = setting_default() }: DurationProps) {
  return (
    <Field label={label} hint={hint} error={settingFault(setting, name)}>
      {(control) => (
        <input
          {...control}
          className="control"
          inputMode="numeric"
          autoComplete="off"
          maxLength={8}
          placeholder={empty}
          value={String(setting[name] ?? '')}
          onChange={(event) => {
            const digits = event.currentTarget.value.replaceAll(/\D/g, '');
            setSetting(form, name, digits === '' ? undefined : Number(digits));
          }}
        />
      )}
    </Field>
  );
}

function Switch({ form, setting, name, label, hint }: PartProps & { name: string; label: string; hint: string }) {
  return (
    <SwitchField
      label={label}
      hint={hint}
      checked={setting[name] === true}
      onChange={(on) => setSetting(form, name, on || undefined)}
    />
  );
}

/** Proxy, time-outs and hedge of the channel: fields over the same text that the extra settings show as JSON. */
export function Behaviour({ form }: { form: ChannelForm }) {
  const setting = readSetting(form.watch('setting'));
  if (!setting) {
    return (
      <Section title={section_behaviour()}>
        <Alert tone="warn">{setting_broken()}</Alert>
      </Section>
    );
  }
  const part = { form, setting };
  return (
    <Section title={section_behaviour()}>
      <Pair>
        <Duration {...part} name="connect_timeout_ms" label={setting_connect()} />
        <Duration {...part} name="first_byte_timeout_ms" label={setting_first_byte()} />
        <Duration {...part} name="idle_timeout_ms" label={setting_idle()} />
        <Duration {...part} name="total_timeout_ms" label={setting_total()} />
      </Pair>
      <Duration {...part} name="hedge_ms" label={setting_hedge()} hint={setting_hedge_hint()} empty={setting_off()} />
      <Duration {...part} name="coalesce_ms" label={setting_coalesce()} hint={setting_coalesce_hint()} empty={setting_off()} />
      <Duration {...part} name="drain_ms" label={setting_drain()} hint={setting_drain_hint()} empty={setting_off()} />
      <Field label={setting_proxy()} hint={setting_proxy_hint()} error={settingFault(setting, 'proxy')}>
        {(control) => (
          <input
            {...control}
            className="control"
            type="url"
            autoComplete="off"
            spellCheck={false}
            maxLength={2048}
            placeholder="socks5://10.0.0.1:1080"
            value={String(setting.proxy ?? '')}
            onChange={(event) => setSetting(form, 'proxy', event.currentTarget.value || undefined)}
          />
        )}
      </Field>
      <Switch {...part} name="force_format" label={setting_force_format()} hint={setting_force_format_hint()} />
      <Switch {...part} name="thinking_to_content" label={setting_thinking()} hint={setting_thinking_hint()} />
    </Section>
  );
}
