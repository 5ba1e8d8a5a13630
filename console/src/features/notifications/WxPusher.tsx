import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { textOf } from '../../api/errors.ts';
import { selfQuery } from '../../api/self.ts';
import {
  wxpusher_alt,
  wxpusher_bound,
  wxpusher_expired,
  wxpusher_scan,
  wxpusher_show,
  wxpusher_unbind,
  wxpusher_unbind_text,
} from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { notifyError } from '../../ui/notify.ts';
import { confirm } from '../../ui/overlays.ts';
import { useWxPusherCode, useWxPusherUnbind, wxPusherStateQuery } from './queries.ts';

function Bound() {
  const unbind = useWxPusherUnbind();
  const ask = async () => {
    const sure = await confirm({ title: wxpusher_unbind_text(), confirmLabel: wxpusher_unbind(), tone: 'bad' });
    if (sure) unbind.mutate(undefined, { onError: notifyError });
  };
  return (
    <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
      <p className="text-muted">{wxpusher_bound()}</p>
      <Button size="sm" pending={unbind.isPending} onClick={() => void ask()}>
        {wxpusher_unbind()}
      </Button>
    </div>
  );
}

/** The code as the service draws it, until it was scanned or is worthless. */
function Code({ code, url, renew }: { code: string; url: string; renew(): void }) {
  const client = useQueryClient();
  const { data: state } = useQuery(wxPusherStateQuery(code));
  useEffect(() => {
    if (state === 'bound') void client.invalidateQueries({ queryKey: selfQuery.queryKey });
  }, [state, client]);
  if (state === 'expired') return <Button onClick={renew}>{wxpusher_expired()}</Button>;
  return (
    <figure>
      <img src={url} alt={wxpusher_alt()} width={184} height={184} className="rounded-md border bg-[#ffffff]" />
      <figcaption className="mt-1 text-muted text-xs">{wxpusher_scan()}</figcaption>
    </figure>
  );
}

function Unbound() {
  const code = useWxPusherCode();
  return (
    <div className="sm:col-span-2" aria-live="polite">
      {code.error && <Alert tone="bad">{textOf(code.error)}</Alert>}
      {code.data && !code.isPending ? (
        <Code key={code.data.code} code={code.data.code} url={code.data.url} renew={() => code.mutate()} />
      ) : (
        <Button pending={code.isPending} onClick={() => code.mutate()}>
          {wxpusher_show()}
        </Button>
      )}
    </div>
  );
}

/** Connects the account with whoever scans a code; one that was scanned is worth nothing afterwards. */
export function WxPusher({ bound }: { bound: boolean }) {
  return bound ? <Bound /> : <Unbound />;
}
