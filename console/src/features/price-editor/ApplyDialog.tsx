import type { ComponentProps } from 'react';
import { price_apply } from '../../i18n/generated/messages.ts';
import { FormDialog } from '../../ui/form/FormDialog.tsx';

/** One entry in a form of its own. Applying changes the draft; nothing is saved yet. */
export const ApplyDialog = (props: Omit<ComponentProps<typeof FormDialog>, 'submitLabel'>) => (
  <FormDialog {...props} submitLabel={price_apply()} />
);
