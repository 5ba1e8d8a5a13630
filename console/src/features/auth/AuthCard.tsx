import type { ReactNode } from 'react';
import { useStatus, useStatusKnown } from '../../api/status.ts';

/** The frame of the pages in front of the door. Empty until the site has said what it offers, so that nothing jumps. */
export function AuthCard({ title, footer, children }: { title: string; footer?: ReactNode; children: ReactNode }) {
  const status = useStatus();
  const known = useStatusKnown();
  return (
    <div className="mx-auto w-full max-w-[400px] px-4 pt-[clamp(24px,10vh,112px)] pb-10">
      <div className="card px-7 py-7 max-sm:px-5">
        <h1 className="text-xl">{title}</h1>
        <p className="mt-0.5 mb-5 text-muted">{status?.system_name ?? ' '}</p>
        {known ? children : <div aria-busy className="h-48" />}
      </div>
      {known && footer && <p className="mt-4 text-center text-muted">{footer}</p>}
    </div>
  );
}
