import { Outlet } from '@tanstack/react-router';
import { useSession } from '../../api/session.ts';
import { Footer } from './Footer.tsx';
import { Sidebar } from './Sidebar.tsx';

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
