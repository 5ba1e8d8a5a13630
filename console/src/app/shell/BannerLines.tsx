import { banner_demo, banner_failed, banner_newer, banner_reload } from '../../i18n/generated/messages.ts';

interface Props {
  isDemo: boolean;
  isOld: boolean;
  isFailed: boolean;
}

/** This is a demo; the server is newer than the page; what the site offers is not known. */
export function BannerLines({ isDemo, isOld, isFailed }: Props) {
  return (
    <>
      {isDemo && (
        <p role="note" className="bg-info-tint px-4 py-1.5 text-center text-info text-xs">
          {banner_demo()}
        </p>
      )}
      {isFailed && (
        <p role="alert" className="bg-bad-tint px-4 py-1.5 text-center text-bad text-xs">
          {banner_failed()}
        </p>
      )}
      {isOld && (
        <div
          role="status"
          className="flex flex-wrap items-center justify-center gap-2 bg-warn-tint px-4 py-0.5 text-warn text-xs"
        >
          {banner_newer()}
          <button type="button" className="min-h-6 font-medium underline" onClick={() => location.reload()}>
            {banner_reload()}
          </button>
        </div>
      )}
    </>
  );
}
