import { action_discard, guard_text, guard_title } from '../../i18n/generated/messages.ts';
import { confirm } from '../overlays.ts';

/** Of the forms that are shown, whether each would lose something. */
const guards = new Set<() => boolean>();

/** Returns the function that takes it back. */
export function watchForm(isDirty: () => boolean): () => void {
  guards.add(isDirty);
  return () => void guards.delete(isDirty);
}

/** Asks whether what was changed and not saved may be lost. */
export const mayDiscard = (): Promise<boolean> =>
  confirm({ title: guard_title(), text: guard_text(), confirmLabel: action_discard(), tone: 'bad' });

/** The same of all forms that are shown, before something after which none of them can be saved. */
export const mayDiscardAll = async (): Promise<boolean> => ![...guards].some((isDirty) => isDirty()) || mayDiscard();
