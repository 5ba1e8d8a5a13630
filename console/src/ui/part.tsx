import { type ComponentType, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { call } from '../api/call.ts';
import { ApiError } from '../api/errors.ts';
import { routes } from '../api/routes.ts';
import { banner_newer } from '../i18n/generated/messages.ts';
import { LoadError } from './LoadError.tsx';
import { notifyError } from './notify.ts';

const nothing = () => null;

type PropsOf<Component> = Component extends (props: infer P extends object) => ReactNode ? P : never;

/** A part of a page, which can be fetched before it is shown. */
export type Part<P extends object> = ComponentType<P> & { preload(): Promise<unknown> };

/** Asks twice where the server answers. Rejects with why it does not, else with what tells that another version of it runs. */
async function insist<Found>(load: () => Promise<Found>): Promise<Found> {
  try {
    return await load();
  } catch {
    await call(routes.site.status);
    return load().catch(() => {
      throw new Error(banner_newer());
    });
  }
}

/**
 * The component of this name in a file of its own. While that is on its way `Waiting` stands there, nothing by itself. Where it does not come, the
 * rest of the page stays as it is: what has an `onClose` is closed with a toast and can be asked for again, something quiet is
 * left as it was waited for, and everything else is an error with another try.
 */
export function part<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  Waiting: (props: PropsOf<Module[Name]>) => ReactNode = nothing,
  quiet = false,
): Part<PropsOf<Module[Name]>> {
  type P = PropsOf<Module[Name]>;
  let known: ComponentType<P> | undefined;
  const preload = async () => {
    known = (await insist(load))[name] as ComponentType<P>;
  };
  function Loading(props: P) {
    const [Found, setFound] = useState(() => known);
    const [fault, setFault] = useState<Error>();
    const refuse = useEffectEvent((reason: Error) => {
      const { onClose } = props as { onClose?(): void };
      if (quiet) return;
      if (!onClose) return setFault(reason);
      notifyError(reason);
      onClose();
    });
    const missing = !Found && !fault;
    useEffect(() => {
      let here = true;
      if (missing)
        preload().then(
          () => setFound(() => known),
          (reason) => here && refuse(reason),
        );
      return () => {
        here = false;
      };
    }, [missing]);
    if (Found) return <Found {...props} />;
    // A browser may keep that a file did not come.
    const retry = () => (fault instanceof ApiError ? setFault(undefined) : location.reload());
    return fault ? <LoadError error={fault} retry={retry} /> : <Waiting {...props} />;
  }
  return Object.assign(Loading, { preload: () => preload().catch(nothing) });
}
