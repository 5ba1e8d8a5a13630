import { useStatus } from '../../api/status.ts';
import { footer_credit } from '../../i18n/generated/messages.ts';
import { part } from '../../ui/part.tsx';

const Markup = part(() => import('../../ui/markup/Markup.tsx'), 'Markup', undefined, true);

/** The operator's footer, else the name and version of the product. */
export function Footer() {
  const status = useStatus();
  const source = status?.footer_html?.trim();
  return (
    <footer className="print:hidden min-h-10.5 px-4 py-3 text-center text-muted text-xs">
      {source ? (
        <Markup source={source} inline />
      ) : (
        status && footer_credit({ name: status.system_name || 'Tollgate', version: status.version })
      )}
    </footer>
  );
}
