import { copy_done } from '../i18n/generated/messages.ts';
import { copyToClipboard } from '../lib/clipboard.ts';
import { notify } from './notify.ts';
import { manualCopies } from './overlays.ts';

/** Copies and says so; where the browser refuses, shows the text selected in a dialog. Resolves to whether it was copied. */
export async function copyText(text: string, message: string = copy_done()): Promise<boolean> {
  const copied = await copyToClipboard(text);
  if (copied) notify('ok', message);
  else manualCopies.set(text);
  return copied;
}
