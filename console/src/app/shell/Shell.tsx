import { Outlet } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { skip_to_content } from '../../i18n/generated/messages.ts';
import { OverlayHosts } from '../../ui/OverlayHosts.tsx';
import { Footer } from './Footer.tsx';
import { Sidebar } from './Sidebar.tsx';
import { Topbar } from './Topbar.tsx';

/** Around every page: top bar, main landmark, footer, and what floats. */
export function Shell() {
  return (
    <>
      <a
        href="#main"
        className="-translate-y-20 fixed top-1 left-1 z-50 rounded-md bg-accent px-3 py-2 text-on-accent no-underline focus:translate-y-0"
      >
        {skip_to_content()}
      </a>
      <Topbar />
      <Outlet />
      <OverlayHosts />
    </>
  );
}

/** The pages of visitors: no side menu. */
export function PublicLayout() {
  return (
    <div className="flex min-h-[calc(100dvh-48px)] flex-col">
      <main id="main" tabIndex={-1} className="grow outline-none">
        <Outlet />
      </main>
      <Footer />
    </div>
  );
}

/** The pages of the console: side menu on wide screens. */
export function ConsoleLayout() {
  const session = useSession();
  return (
    <div className="flex">
      {session && <Sidebar />}
      <div className="flex min-h-[calc(100dvh-48px)] min-w-0 grow flex-col">
        <main id="main" tabIndex={-1} className="grow p-3 outline-none max-sm:p-2.5">
          <Outlet />
        </main>
        <Footer />
      </div>
    </div>
  );
}
