import { useQuery } from '@tanstack/react-query';
import { nav_home } from '../../i18n/generated/messages.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { DefaultHome } from './DefaultHome.tsx';
import { NoticeGate } from './NoticeGate.tsx';
import { homeQuery } from './queries.ts';
import { SiteContent } from './SiteContent.tsx';

/** /: the operator's own page, else what this is and how to use it. */
export function HomePage() {
  useTitle(nav_home());
  const { data, isError } = useQuery(homeQuery);
  return (
    <>
      <SiteContent text={isError ? '' : data} title={nav_home()} fallback={<DefaultHome />} />
      <NoticeGate />
    </>
  );
}
