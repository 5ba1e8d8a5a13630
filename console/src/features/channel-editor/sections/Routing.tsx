import {
  channel_auto_ban,
  channel_auto_ban_hint,
  channel_priority_hint,
  channel_tag,
  channel_tag_hint,
  channel_weight_hint,
  col_priority,
  col_weight,
  section_routing,
} from '../../../i18n/generated/messages.ts';
import { Field, SwitchField } from '../../../ui/Field.tsx';
import { Pair, Section } from '../../../ui/form/Section.tsx';
import type { ChannelForm } from './form.ts';

/** When the channel is chosen among several. */
export function Routing({ form }: { form: ChannelForm }) {
  const { errors } = form.formState;
  return (
    <Section title={section_routing()}>
      <Pair>
        <Field label={col_priority()} hint={channel_priority_hint()} error={errors.priority?.message}>
          {(control) => (
            <input {...control} {...form.register('priority')} className="control" inputMode="numeric" maxLength={8} />
          )}
        </Field>
        <Field label={col_weight()} hint={channel_weight_hint()} error={errors.weight?.message}>
          {(control) => <input {...control} {...form.register('weight')} className="control" inputMode="numeric" maxLength={8} />}
        </Field>
      </Pair>
      <Field label={channel_tag()} hint={channel_tag_hint()}>
        {(control) => <input {...control} {...form.register('tag')} className="control" autoComplete="off" maxLength={255} />}
      </Field>
      <SwitchField
        label={channel_auto_ban()}
        hint={channel_auto_ban_hint()}
        checked={form.watch('autoBan')}
        onChange={(checked) => form.setValue('autoBan', checked, { shouldDirty: true })}
      />
    </Section>
  );
}
