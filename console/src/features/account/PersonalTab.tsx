import { useQueries } from '@tanstack/react-query';
import { role, type User } from '@tollgate/contract';
import { lazy, Suspense } from 'react';
import { ownModelsQuery } from '../../api/self.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { InviteCard } from '../../ui/invite/InviteCard.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { AccessTokenCard } from './cards/AccessTokenCard.tsx';
import { BindingsCard } from './cards/BindingsCard.tsx';
import { DeleteCard } from './cards/DeleteCard.tsx';
import { ModelsCard } from './cards/ModelsCard.tsx';
import { Overview } from './cards/Overview.tsx';
import { PasskeysCard } from './cards/PasskeysCard.tsx';
import { PasswordCard } from './cards/PasswordCard.tsx';
import { ProfileCard } from './cards/ProfileCard.tsx';
import { SessionsCard } from './cards/SessionsCard.tsx';
import { TotpCard } from './cards/TotpCard.tsx';
import { passkeysQuery, sessionsQuery, totpQuery, useSelf } from './queries.ts';

/** As large as the rest of the page together. */
const NotifyCard = lazy(async () => ({ default: (await import('../notifications/NotifyCard.tsx')).NotifyCard }));
const DeliveriesCard = lazy(async () => ({ default: (await import('../notifications/DeliveriesCard.tsx')).DeliveriesCard }));

function Cards({ self }: { self: User }) {
  return (
    <div className="flex max-w-[1240px] flex-col gap-3">
      <Overview self={self} />
      <div className="grid items-start gap-3 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <ProfileCard key={self.id} self={self} />
          <PasswordCard />
          <Suspense fallback={<div aria-busy className="card min-h-[1200px]" />}>
            <NotifyCard key={self.id} self={self} />
          </Suspense>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <BindingsCard self={self} />
          <TotpCard />
          <PasskeysCard />
          <SessionsCard />
          <AccessTokenCard />
          <ModelsCard />
          <InviteCard self={self} />
          <Suspense fallback={<div aria-busy className="card min-h-24" />}>
            <DeliveriesCard />
          </Suspense>
          {self.role !== role.root && <DeleteCard self={self} />}
        </div>
      </div>
    </div>
  );
}

/** What the cards show, read at once, so that none of them grows while it is looked at. */
const parts = [sessionsQuery, totpQuery, passkeysQuery, ownModelsQuery];

/** `isFetched`: a card that is drawn asks once more for what failed, which is no reason to take it away again. */
const useParts = () =>
  useQueries({
    queries: parts,
    combine: (all) => ({ ready: all.every(({ isFetched }) => isFetched), failed: all.find(({ error }) => error) }),
  });

/** /setting?tab=personal: the own account. */
export function PersonalTab() {
  const { data, error, refetch } = useSelf();
  const { ready, failed } = useParts();
  if (!data || !ready) return error ? <LoadError error={error} retry={refetch} /> : <FormSkeleton />;
  return (
    <>
      {failed?.error && <LoadError error={failed.error} retry={failed.refetch} />}
      <Cards self={data} />
    </>
  );
}
