import { useQueries } from '@tanstack/react-query';
import { role, type User } from '@tollgate/contract';
import { ownModelsQuery } from '../../api/self.ts';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { InviteCard } from '../../ui/invite/InviteCard.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { part } from '../../ui/part.tsx';
import { AccessTokenCard } from './cards/AccessTokenCard.tsx';
import { BindingsCard } from './cards/BindingsCard.tsx';
import { DeleteCard } from './cards/DeleteCard.tsx';
import { ModelsCard } from './cards/ModelsCard.tsx';
import { Overview } from './cards/Overview.tsx';
import { OwnDataCard } from './cards/OwnDataCard.tsx';
import { PasskeysCard } from './cards/PasskeysCard.tsx';
import { PasswordCard } from './cards/PasswordCard.tsx';
import { ProfileCard } from './cards/ProfileCard.tsx';
import { SessionsCard } from './cards/SessionsCard.tsx';
import { TotpCard } from './cards/TotpCard.tsx';
import { passkeysQuery, sessionsQuery, totpQuery, useSelf } from './queries.ts';

/** As large as the rest of the page together. */
const NotifyCard = part(
  () => import('../notifications/NotifyCard.tsx'),
  'NotifyCard',
  () => <div aria-busy className="card min-h-[1200px]" />,
);
const DeliveriesCard = part(
  () => import('../notifications/DeliveriesCard.tsx'),
  'DeliveriesCard',
  () => <div aria-busy className="card min-h-24" />,
);

function Cards({ self }: { self: User }) {
  return (
    <div className="flex max-w-[1240px] flex-col gap-3">
      <Overview self={self} />
      <div className="grid items-start gap-3 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <ProfileCard key={self.id} self={self} />
          <PasswordCard />
          <NotifyCard key={`notify ${self.id}`} self={self} />
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <BindingsCard self={self} />
          <TotpCard />
          <PasskeysCard />
          <SessionsCard />
          <AccessTokenCard />
          <ModelsCard />
          <InviteCard self={self} />
          <DeliveriesCard />
          <OwnDataCard />
          {self.role !== role.root && <DeleteCard self={self} />}
        </div>
      </div>
    </div>
  );
}

/** What the cards show, read at once, so that none of them grows while it is looked at. */
const parts = [sessionsQuery, totpQuery, passkeysQuery, ownModelsQuery];

/** `isFetched`: a card that is drawn asks once more for what failed, which is no reason to take it away again. */
const usePartsReady = () =>
  useQueries({
    queries: parts,
    combine: (all) => all.every(({ isFetched }) => isFetched),
  });

/** /setting?tab=personal: the own account. */
export function PersonalTab() {
  const { data, error, refetch } = useSelf();
  const ready = usePartsReady();
  if (!data || !ready) return error ? <LoadError error={error} retry={refetch} /> : <FormSkeleton />;
  return <Cards self={data} />;
}
