/** The way that works on plain http, where the clipboard API does not exist. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  const before = document.activeElement;
  // Inside the open dialog, if any: a modal takes the focus away from everything outside it.
  (before?.closest('[role="dialog"]') ?? document.body).append(area);
  area.select();
  const copied = typeof document.execCommand === 'function' && document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}

/** Copies text; false when no way works and the user must copy by hand. */
export async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}
