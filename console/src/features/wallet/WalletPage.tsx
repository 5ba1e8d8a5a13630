import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Receipt } from 'lucide-react';
import { selfQuery } from '../../api/self.ts';
import { nav_statement, nav_wallet } from '../../i18n/generated/messages.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { InviteCard } from '../../ui/invite/InviteCard.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { BalanceCard } from './BalanceCard.tsx';
import { InviteExtras } from './InviteExtras.tsx';
import { OnlineCard } from './OnlineCard.tsx';
import { RedeemCard } from './RedeemCard.tsx';

/** /topup: balance, codes, payments, invitations; codes and payments also where the balance cannot be read. People return here from paying: the balance is read again. */
export function WalletPage() {
  const { data: self, error, refetch } = useQuery({ ...selfQuery, refetchOnWindowFocus: 'always' });
  return (
    <>
      <PageHeader title={nav_wallet()}>
        <Link to="/topup/statement" className={buttonClass()}>
          <Receipt size={15} aria-hidden />
          {nav_statement()}
        </Link>
      </PageHeader>
      {self ? <BalanceCard self={self} /> : error ? <LoadError error={error} retry={refetch} /> : <FormSkeleton />}
      {(self || error) && (
        <div className="grid grid-cols-2 items-start gap-3 max-md:grid-cols-1">
          <div className="flex min-w-0 flex-col gap-3">
            <RedeemCard />
            <OnlineCard />
          </div>
          {self && (
            <InviteCard self={self}>
              <InviteExtras />
            </InviteCard>
          )}
        </div>
      )}
    </>
  );
}
