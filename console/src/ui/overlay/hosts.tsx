/** Everything that floats on request, as one chunk that loads when it is first needed or the browser is idle. */
import { ConfirmHost, ManualCopyHost } from './ConfirmHost.tsx';
import { MenuHost } from './MenuHost.tsx';
import { PreviewHost } from './PreviewHost.tsx';
import { TipHost } from './TipHost.tsx';
import { ToastHost } from './ToastHost.tsx';

export function Hosts() {
  return (
    <>
      <MenuHost />
      <TipHost />
      <ConfirmHost />
      <PreviewHost />
      <ManualCopyHost />
      <ToastHost />
    </>
  );
}
