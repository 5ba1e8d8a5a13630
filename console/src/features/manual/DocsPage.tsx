import { useParams } from '@tanstack/react-router';
import { part } from '../../ui/part.tsx';

import { ManualPage } from './ManualPage.tsx';

const ApiDocsPage = part(
  () => import('../api-docs/ApiDocsPage.tsx'),
  'ApiDocsPage',
  () => <div aria-busy className="min-h-dvh" />,
);

/** /docs: the manual, and beside it the description of the console API. One route, for the table of routes is on every page. */
export function DocsPage() {
  const { _splat: name = '' } = useParams({ strict: false });
  if (name !== 'api') return <ManualPage name={name} />;
  return <ApiDocsPage />;
}
