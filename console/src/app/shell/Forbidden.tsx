import { CircleX } from 'lucide-react';
import { forbidden_text, forbidden_title } from '../../i18n/generated/messages.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useTitle } from '../../ui/useTitle.ts';
import { home } from './faults.tsx';

/** Instead of a page that is for others. */
export function Forbidden() {
  useTitle(forbidden_title());
  return (
    <>
      <h1 className="sr-only">{forbidden_title()}</h1>
      <EmptyState icon={CircleX} title={forbidden_title()} text={forbidden_text()} action={home()} />
    </>
  );
}
