import { lazy, Suspense } from 'react';
import { useStatus } from '../../api/status.ts';
import { footer_credit } from '../../i18n/generated/messages.ts';

const Markup = lazy(async () => ({ default: (await import('../../ui/markup/Markup.tsx')).Markup }));

/** The operator's footer, else the name and version of the product. */
export function Footer() {
  const status = useStatus();
  const source = status?.footer_html?.trim();
  return (
    <footer className="min-h-10.5 px-4 py-3 text-center text-muted text-xs">
      {source ? (
        <Suspense>
          <Markup source={source} inline />
        </Suspense>
      ) : (
        footer_credit({ name: status?.system_name || 'Tollgate', version: status?.version ?? '' })
      )}
    </footer>
  );
}
