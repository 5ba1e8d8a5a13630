import {
  channel_mapping,
  channel_mapping_hint,
  channel_status_mapping,
  channel_status_mapping_hint,
  section_mapping,
} from '../../../i18n/generated/messages.ts';
import { Section } from '../../../ui/form/Section.tsx';
import type { ChannelForm } from './form.ts';
import { JsonControl } from './JsonControl.tsx';

/** What is renamed on the way to the upstream and back. */
export function Mapping({ form }: { form: ChannelForm }) {
  return (
    <Section title={section_mapping()}>
      <JsonControl
        form={form}
        name="modelMapping"
        label={channel_mapping()}
        hint={channel_mapping_hint()}
        placeholder={'{"model-a": "model-b"}'}
      />
      <JsonControl
        form={form}
        name="statusCodeMapping"
        label={channel_status_mapping()}
        hint={channel_status_mapping_hint()}
        placeholder={'{"400": "500"}'}
      />
    </Section>
  );
}
