import { useQuery } from '@tanstack/react-query';
import { Info } from 'lucide-react';
import { useStatus } from '../../api/status.ts';
import { about_empty, about_empty_text, nav_about } from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { aboutQuery } from './queries.ts';
import { SiteContent } from './SiteContent.tsx';

function Nothing() {
  const status = useStatus();
  return (
    <div className="mx-auto max-w-[1080px] px-5 py-6 max-sm:px-4">
      <h1 className="text-lg">{nav_about()}</h1>
      <EmptyState
        icon={Info}
        title={about_empty()}
        text={about_empty_text({ name: status?.system_name || 'Tollgate', version: status?.version ?? '' })}
      />
    </div>
  );
}

/** /about: what the operator says of themselves. */
export function AboutPage() {
  useTitle(nav_about());
  const { data, error, refetch } = useQuery(aboutQuery);
  if (error && data === undefined) return <LoadError error={error} retry={refetch} />;
  return <SiteContent text={data} title={nav_about()} fallback={<Nothing />} />;
}
