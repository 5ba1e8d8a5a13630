import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Token } from '@tollgate/contract';
import { type ReactNode, useState } from 'react';
import { textOf } from '../../api/errors.ts';
import { ownModelsQuery } from '../../api/self.ts';
import { serverAddressOf, useStatus } from '../../api/status.ts';
import { tokenQuery } from '../../api/tokens.ts';
import {
  howto_base,
  howto_copy_base,
  howto_copy_code,
  howto_protocol,
  howto_title,
  token_copy_key,
  token_key,
} from '../../i18n/generated/messages.ts';
import { type Protocol, protocols, type SampleKind, sample } from '../../lib/samples.ts';
import { Alert } from '../../ui/Alert.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormSkeleton } from '../../ui/form/FormSkeleton.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { SampleKinds } from '../../ui/SampleKinds.tsx';
import { LimitsLeft } from './LimitsLeft.tsx';
import { exampleModel, fullKey, maskedKey } from './model.ts';

const parent = getRouteApi('/_console/token');
const route = getRouteApi('/_console/token/use/$id');

function Line({ label, shown, copied, copyLabel }: { label: string; shown: string; copied: string; copyLabel: string }) {
  return (
    <div className="flex items-center gap-2">
      <dt className="w-20 shrink-0 text-muted">{label}</dt>
      <dd className="flex min-w-0 grow items-center gap-1">
        <code className="min-w-0 grow break-all text-xs">{shown}</code>
        <CopyButton text={copied} label={copyLabel} size="md" />
      </dd>
    </div>
  );
}

function Chips({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {children}
    </fieldset>
  );
}

function HowTo({ token }: { token: Token }) {
  const address = serverAddressOf(useStatus());
  const { data: models } = useQuery(ownModelsQuery);
  const [protocol, setProtocol] = useState<Protocol>('openai-chat');
  const [kind, setKind] = useState<SampleKind>('curl');
  const base = address + (protocols.find(({ id }) => id === protocol)?.path ?? '');
  const input = { address, key: fullKey(token), model: exampleModel(token, models) };
  return (
    <div className="flex flex-col gap-3">
      <Chips label={howto_protocol()}>
        {protocols.map(({ id, name }) => (
          <button key={id} type="button" className="chip" aria-pressed={id === protocol} onClick={() => setProtocol(id)}>
            {name}
          </button>
        ))}
      </Chips>
      <dl className="flex flex-col gap-1">
        <Line label={howto_base()} shown={base} copied={base} copyLabel={howto_copy_base()} />
        <Line label={token_key()} shown={maskedKey(token)} copied={input.key} copyLabel={token_copy_key()} />
      </dl>
      <div className="card">
        <div className="flex items-center gap-1.5 border-b px-3 py-1.5">
          <SampleKinds kind={kind} onChoose={setKind} />
          <span className="ml-auto">
            <CopyButton text={sample(protocol, kind, input)} label={howto_copy_code()} size="md" />
          </span>
        </div>
        <pre className="min-h-52 whitespace-pre-wrap px-3 py-2.5 text-xs leading-relaxed">
          {sample(protocol, kind, { ...input, key: maskedKey(token) })}
        </pre>
      </div>
      <LimitsLeft apiKey={input.key} />
    </div>
  );
}

/** /token/use/$id: base URL, key and a first call per protocol and language. The key is masked on screen, whole when copied. */
export function HowToDialog() {
  const id = Number(route.useParams().id);
  const navigate = parent.useNavigate();
  const { data, error } = useQuery(tokenQuery(id));
  return (
    <Dialog
      title={howto_title({ name: data?.name ?? `#${id}` })}
      onClose={() => void navigate({ to: '/token', search: true })}
      wide
    >
      {data ? <HowTo token={data} /> : error ? <Alert tone="bad">{textOf(error)}</Alert> : <FormSkeleton />}
    </Dialog>
  );
}
