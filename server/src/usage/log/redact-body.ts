import { redactText } from '../../platform/log.ts';

const secretMember =
  /("(?:[\w-]{0,40}(?:api[_-]?key|authorization|password|passwd|secret|credential|access[_-]?token|refresh[_-]?token)[\w-]{0,40})"\s{0,20}:\s{0,20}")(?:[^"\\]|\\.)*/gi;
const dataUrl = /(data:[\w.+/-]{1,100};base64,)[A-Za-z0-9+/=_-]{32,}/g;
/** Sound, pictures and files without a name in front of them; looked for where a run begins, not at each of its characters. */
const blob = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{1000,}={0,2}/g;

/** A body as it may be kept: without credentials, and without what is no text. */
export function redactBody(text: string): string {
  const cut = text
    .replaceAll(dataUrl, (whole, head: string) => `${head}[${whole.length - head.length} characters]`)
    .replaceAll(blob, (whole) => `[${whole.length} characters]`);
  return redactText(cut.replaceAll(secretMember, '$1***'));
}
