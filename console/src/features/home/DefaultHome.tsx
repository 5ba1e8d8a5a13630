import { Link } from '@tanstack/react-router';
import { ArrowRight, BookOpen, Network, ReceiptText, ShieldCheck, Wallet } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import {
  home_addresses,
  home_auth,
  home_copy_address,
  home_copy_sample,
  home_first_call,
  home_intro,
  home_open_console,
  home_point_exact,
  home_point_exact_text,
  home_point_limits,
  home_point_limits_text,
  home_point_receipt,
  home_point_receipt_text,
  home_point_routes,
  home_point_routes_text,
  home_points,
  home_sample_note,
  home_title,
  nav_login,
  nav_manual,
  nav_register,
} from '../../i18n/generated/messages.ts';
import { protocols, type SampleKind, sample } from '../../lib/samples.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { SampleKinds } from '../../ui/SampleKinds.tsx';

const points = [
  { id: 'routes', icon: Network, title: home_point_routes, text: home_point_routes_text },
  { id: 'exact', icon: Wallet, title: home_point_exact, text: home_point_exact_text },
  { id: 'receipt', icon: ReceiptText, title: home_point_receipt, text: home_point_receipt_text },
  { id: 'limits', icon: ShieldCheck, title: home_point_limits, text: home_point_limits_text },
];

function Addresses({ address }: { address: string }) {
  return (
    <section aria-labelledby="addresses" className="card flex flex-col">
      <h2 id="addresses" className="border-b px-4 py-2 text-base leading-8">
        {home_addresses()}
      </h2>
      <ul className="grid grid-cols-[auto_minmax(0,1fr)_auto]">
        {protocols.map((protocol) => (
          <li key={protocol.id} className="col-span-full grid grid-cols-subgrid items-center gap-x-3 px-4 py-2">
            <span className="font-medium max-sm:col-span-full">{protocol.name}</span>
            <span className="min-w-0 max-sm:col-span-2">
              <code className="block truncate max-sm:whitespace-normal max-sm:break-all">{address + protocol.path}</code>
              <span className="text-muted text-xs">{protocol.endpoint}</span>
            </span>
            <CopyButton text={address + protocol.path} label={home_copy_address()} size="md" />
          </li>
        ))}
      </ul>
      <p className="mt-auto border-t px-4 py-2 text-muted text-xs">
        {home_auth()} <code>Authorization: Bearer sk-...</code>
      </p>
    </section>
  );
}

function FirstCall({ address }: { address: string }) {
  const [kind, setKind] = useState<SampleKind>('curl');
  const code = sample('openai-chat', kind, { address, key: 'sk-...', model: 'MODEL' });
  return (
    <section aria-labelledby="first-call" className="card flex min-w-0 flex-col">
      <div className="flex flex-wrap items-center gap-1.5 border-b px-4 py-2">
        <h2 id="first-call" className="mr-auto text-base max-sm:w-full">
          {home_first_call()}
        </h2>
        <SampleKinds kind={kind} onChoose={setKind} />
        <CopyButton text={code} label={home_copy_sample()} size="md" />
      </div>
      <pre className="min-h-48 grow whitespace-pre-wrap px-4 py-3 leading-relaxed">{code}</pre>
      <p className="border-t px-4 py-2 text-muted text-xs">{home_sample_note()}</p>
    </section>
  );
}

/** What this is, where programs connect, a first call to paste. */
export function DefaultHome() {
  const status = useStatus();
  const session = useSession();
  const address = serverAddressOf(status);
  return (
    <div className="mx-auto max-w-[1080px] px-5 pt-[clamp(24px,7vh,72px)] pb-10 max-sm:px-4">
      <h1 className="max-w-2xl text-2xl leading-tight break-keep wrap-anywhere">
        {home_title({ name: status?.system_name || 'Tollgate' })}
      </h1>
      <p className="mt-3 max-w-2xl text-base text-muted">{home_intro()}</p>
      <div className="mt-5 flex flex-wrap gap-2">
        {session ? (
          <Link to="/token" className={buttonClass('primary', 'lg')}>
            {home_open_console()} <ArrowRight size={15} aria-hidden />
          </Link>
        ) : (
          <>
            <Link to="/login" className={buttonClass('primary', 'lg')}>
              {nav_login()}
            </Link>
            {status?.register_enabled !== false && (
              <Link to="/register" className={buttonClass('default', 'lg')}>
                {nav_register()}
              </Link>
            )}
          </>
        )}
        <Link to="/docs/$" params={{ _splat: 'start' }} className={buttonClass('quiet', 'lg')}>
          <BookOpen size={15} aria-hidden /> {nav_manual()}
        </Link>
      </div>
      <div className="mt-8 grid grid-cols-2 gap-4 max-md:grid-cols-1">
        <Addresses address={address} />
        <FirstCall address={address} />
      </div>
      <h2 className="sr-only">{home_points()}</h2>
      <ul className="mt-8 grid grid-cols-4 gap-x-4 gap-y-5 max-md:grid-cols-2 max-sm:grid-cols-1">
        {points.map(({ id, icon: Icon, title, text }) => (
          <li key={id}>
            <Icon size={18} aria-hidden className="text-accent" />
            <h3 className="mt-2 text-base">{title()}</h3>
            <p className="mt-1 text-muted">{text()}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
