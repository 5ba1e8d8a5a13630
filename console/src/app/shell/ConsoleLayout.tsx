import { Outlet } from '@tanstack/react-router';
import { isRoot, useSession } from '../../api/session.ts';
import { NoticeGate } from '../../features/home/NoticeGate.tsx';
import { StartingGate } from '../starting/StartingGate.tsx';
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
          {isRoot(session) && <StartingGate key={session?.id} userId={session?.id ?? 0} />}
          <Outlet />
        </main>
        <Footer />
        <NoticeGate />
      </div>
    </div>
  );
}
