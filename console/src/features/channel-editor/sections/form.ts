import type { UseFormReturn } from 'react-hook-form';
import type { ChannelDraft } from '../draft.ts';
import { withSetting } from '../settings.ts';

export type ChannelForm = UseFormReturn<ChannelDraft, unknown, ChannelDraft>;

/** Sets one member of the extra settings, or takes it out. */
export function setSetting(form: ChannelForm, name: string, value: unknown): void {
  const next = withSetting(form.getValues('setting'), name, value);
  form.setValue('setting', next, { shouldDirty: true, shouldValidate: form.getFieldState('setting').invalid });
}
