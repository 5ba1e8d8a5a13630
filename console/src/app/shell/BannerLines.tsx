import { banner_demo, banner_newer, banner_reload } from '../../i18n/generated/messages.ts';

/** This is a demo; the server is newer than the page. */
export function BannerLines({ isDemo, isOld }: { isDemo: boolean; isOld: boolean }) {
  return (
    <>
      {isDemo && (
        <p role="note" className="bg-info-tint px-4 py-1.5 text-center text-info text-xs">
          {banner_demo()}
        </p>
      )}
      {isOld && (
        <div
          role="status"
          className="flex flex-wrap items-center justify-center gap-2 bg-warn-tint px-4 py-1.5 text-warn text-xs"
        >
          {banner_newer()}
          <button type="button" className="font-medium underline" onClick={() => location.reload()}>
            {banner_reload()}
          </button>
        </div>
      )}
    </>
  );
}
