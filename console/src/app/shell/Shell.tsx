import { Outlet } from '@tanstack/react-router';
import { skip_to_content } from '../../i18n/generated/messages.ts';
import { OverlayHosts } from '../../ui/OverlayHosts.tsx';
import { Banners } from './Banners.tsx';
import { Footer } from './Footer.tsx';
import { Topbar } from './Topbar.tsx';

/** Around every page: top bar, main landmark, footer, and what floats. */
export function Shell() {
  return (
    <>
      <a
        href="#main"
        className="-translate-y-20 fixed top-1 left-1 z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:translate-y-0"
      >
        {skip_to_content()}
      </a>
      <Topbar />
      <Banners />
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
