import { type ReactNode, useId } from 'react';

interface Props {
  title: string;
  text?: string;
  /** Beside the title: a state or an action. */
  aside?: ReactNode;
  children?: ReactNode;
}

/** One subject of the account. */
export function Card({ title, text, aside, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="card px-5 py-4 max-sm:px-4">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1">
        <h2 id={id} className="text-base">
          {title}
        </h2>
        {aside && <div className="ml-auto flex flex-wrap items-center gap-2">{aside}</div>}
      </div>
      {text && <p className="text-muted text-xs max-sm:mt-1">{text}</p>}
      {children && <div className="mt-3">{children}</div>}
    </section>
  );
}
