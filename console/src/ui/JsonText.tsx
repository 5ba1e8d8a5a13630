import { formatJson } from '../lib/json.ts';

/** A JSON text in order; where it is long it scrolls. */
export const JsonText = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  <pre tabIndex={0} className="max-h-80 overflow-auto whitespace-pre-wrap break-all">
    {formatJson(text)}
  </pre>
);
