/** What an operator's content is: nothing, a page elsewhere, or Markdown or HTML of their own. */
export type Content = { kind: 'none' } | { kind: 'page'; url: string } | { kind: 'markup'; source: string };

/** Our own origin in a frame could reach this page: it is no page elsewhere. */
export function contentOf(text: string, ownOrigin: string): Content {
  const source = text.trim();
  if (source === '') return { kind: 'none' };
  const url = /^https:\/\/\S+$/i.test(source) ? URL.parse(source) : null;
  return url && url.origin !== ownOrigin ? { kind: 'page', url: url.href } : { kind: 'markup', source };
}

/** Short enough to remember, different for different texts. */
export function fingerprintOf(text: string): string {
  let hash = 0;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return `${text.length}.${(hash >>> 0).toString(36)}`;
}
