import { getRouteApi } from '@tanstack/react-router';
import type { LoginAnswer, OAuthProvider } from '@tollgate/contract';
import { LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { isProvider, providerNames } from '../../api/doors.ts';
import { routes } from '../../api/routes.ts';
import { oauth_bound, oauth_working } from '../../i18n/generated/messages.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { useTitle } from '../../ui/useTitle.ts';
import { useAdmission } from './queries.ts';
import { SecondStep } from './SecondStep.tsx';

const route = getRouteApi('/_public/oauth/$provider');
const settings = { to: '/setting', search: { tab: 'personal' }, replace: true } as const;

/** Hands the provider's answer over once; it is good for one try only. Answers the ticket of a second step, if one is due. */
function useRedemption(provider: OAuthProvider): { ticket: string } {
  const query = route.useSearch();
  const navigate = route.useNavigate();
  const admit = useAdmission();
  const [ticket, setTicket] = useState('');
  const started = useRef(false);
  const goOn = (answer: LoginAnswer | undefined) => {
    if (answer?.totp_required) return setTicket(answer.ticket ?? '');
    if (answer) {
      admit(answer);
      return void navigate({ to: '/token', replace: true });
    }
    notify('ok', oauth_bound({ name: providerNames[provider] }));
    return void navigate(settings);
  };
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    call(routes.signIn[provider], { query }).then(goOn, (error: unknown) => {
      notifyError(error);
      void navigate(settings);
    });
  });
  return { ticket };
}

function Redemption({ provider }: { provider: OAuthProvider }) {
  const navigate = route.useNavigate();
  const { ticket } = useRedemption(provider);
  const text = oauth_working({ name: providerNames[provider] });
  useTitle(text);
  if (ticket) {
    const to = (path: '/token' | '/login') => void navigate({ to: path, replace: true });
    return <SecondStep ticket={ticket} onDone={() => to('/token')} onBack={() => to('/login')} />;
  }
  return (
    <div role="status" className="flex flex-col items-center gap-3 px-4 py-[20vh] text-center">
      <LoaderCircle size={28} aria-hidden className="animate-spin text-muted" />
      <h1 className="text-lg">{text}</h1>
    </div>
  );
}

/** /oauth/$provider: where a provider's page leads back to. The route lets known providers through only. */
export function OAuthPage() {
  const { provider } = route.useParams();
  return isProvider(provider) ? <Redemption key={provider} provider={provider} /> : null;
}
