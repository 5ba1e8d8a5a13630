import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import {
  channel_header_override,
  channel_header_override_hint,
  channel_override,
  channel_override_hint,
  channel_setting,
  channel_setting_hint,
  section_advanced,
} from '../../../i18n/generated/messages.ts';
import { readText, writeText } from '../../../lib/storage.ts';
import { describeType } from '../types/index.ts';
import type { ChannelForm } from './form.ts';
import { JsonControl } from './JsonControl.tsx';

const storageKey = 'channel-advanced';

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

/** What few channels need. Stays open for those who opened it, and opens for a fault inside. */
export function Advanced({ form }: { form: ChannelForm }) {
  const [open, setOpen] = useState(() => readText(storageKey) === 'open');
  const { errors } = form.formState;
  const shown = open || Boolean(errors.setting ?? errors.paramOverride ?? errors.headerOverride);
  const toggle = () => {
    writeText(storageKey, shown ? '' : 'open');
    setOpen(!shown);
  };
  return (
    <section>
      <h3>
        <button type="button" aria-expanded={shown} className="flex h-8 items-center gap-1 text-base" onClick={toggle}>
          <ChevronRight size={16} aria-hidden className={shown ? 'rotate-90' : ''} />
          {section_advanced()}
        </button>
      </h3>
      {shown && (
        <div className="mt-2.5 flex flex-col gap-3.5">
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
        </div>
      )}
    </section>
  );
}
