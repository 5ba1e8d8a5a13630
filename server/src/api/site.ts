import type { siteRoutes } from '@tollgate/contract';
import { type BuildInfo, buildStatus, type Options } from '../settings/index.ts';
import type { Handlers } from './types.ts';

export interface SiteDeps {
  options(): Options;
  build: BuildInfo;
}

export function siteHandlers({ options, build }: SiteDeps): Handlers<typeof siteRoutes> {
  return {
    status: () => buildStatus(options(), build),
    notice: () => options().Notice,
    about: () => options().About,
    homePage: () => options().HomePageContent,
  };
}
