import { useMemo } from 'react';
import { useStatus } from '../../api/status.ts';
import { footer_credit } from '../../i18n/generated/messages.ts';

/** The words of an HTML text, without its markup: nothing of it is ever executed or loaded. */
function textOfHtml(html: string): string {
  return new DOMParser().parseFromString(html, 'text/html').body.textContent?.trim().slice(0, 500) ?? '';
}

/** The operator's footer, else the name and version of the product. */
export function Footer() {
  const status = useStatus();
  const html = status?.footer_html ?? '';
  const text = useMemo(() => (html ? textOfHtml(html) : ''), [html]);
  return (
    <footer className="px-4 py-3 text-center text-muted text-xs">
      {text || footer_credit({ name: status?.system_name || 'Tollgate', version: status?.version ?? '' })}
    </footer>
  );
}
