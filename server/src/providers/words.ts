/** Names in a text, separated by blanks and line breaks: how long lists of models are written down. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
