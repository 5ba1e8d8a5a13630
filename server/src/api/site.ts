import type { Status, siteRoutes } from '@tollgate/contract';
import { type BuildInfo, buildStatus, type Options } from '../settings/index.ts';
import type { Handlers } from './types.ts';

export interface SiteDeps {
  options(): Options;
  build: BuildInfo;
}

export function siteHandlers({ options, build }: SiteDeps): Handlers<typeof siteRoutes> {
  let last: { options: Options; status: Status } | undefined;
  return {
    status() {
      const current = options();
      if (last?.options !== current) last = { options: current, status: buildStatus(current, build) };
      return last.status;
    },
    notice: () => options().Notice,
    about: () => options().About,
    homePage: () => options().HomePageContent,
  };
}
