import { useParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ManualPage } from './ManualPage.tsx';

const ApiDocsPage = lazy(async () => ({ default: (await import('../api-docs/ApiDocsPage.tsx')).ApiDocsPage }));

/** /docs: the manual, and beside it the description of the console API. One route, for the table of routes is on every page. */
export function DocsPage() {
  const { _splat: name = '' } = useParams({ strict: false });
  if (name !== 'api') return <ManualPage name={name} />;
  return (
    <Suspense fallback={<div aria-busy className="min-h-dvh" />}>
      <ApiDocsPage />
    </Suspense>
  );
}
