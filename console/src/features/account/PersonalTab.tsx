import { role, type User } from '@tollgate/contract';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { LoadError } from '../../ui/table/placeholders.tsx';
import { AccessTokenCard } from './cards/AccessTokenCard.tsx';
import { BindingsCard } from './cards/BindingsCard.tsx';
import { DeleteCard } from './cards/DeleteCard.tsx';
import { InviteCard } from './cards/InviteCard.tsx';
import { ModelsCard } from './cards/ModelsCard.tsx';
import { NoticeCard } from './cards/NoticeCard.tsx';
import { Overview } from './cards/Overview.tsx';
import { PasskeysCard } from './cards/PasskeysCard.tsx';
import { PasswordCard } from './cards/PasswordCard.tsx';
import { ProfileCard } from './cards/ProfileCard.tsx';
import { SessionsCard } from './cards/SessionsCard.tsx';
import { TotpCard } from './cards/TotpCard.tsx';
import { useSelf } from './queries.ts';

function Cards({ self }: { self: User }) {
  return (
    <div className="mx-auto flex max-w-[1180px] flex-col gap-3">
      <Overview self={self} />
      <div className="grid items-start gap-3 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-3">
          <ProfileCard key={self.id} self={self} />
          <BindingsCard self={self} />
          <PasswordCard />
          <InviteCard self={self} />
          <NoticeCard key={self.setting} self={self} />
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <TotpCard />
          <PasskeysCard />
          <SessionsCard />
          <AccessTokenCard />
          <ModelsCard />
          {self.role !== role.root && <DeleteCard self={self} />}
        </div>
      </div>
    </div>
  );
}

/** /setting?tab=personal: the own account. */
export function PersonalTab() {
  const { data, error, refetch } = useSelf();
  if (data) return <Cards self={data} />;
  return error ? <LoadError error={error} retry={refetch} /> : <FormSkeleton />;
}
