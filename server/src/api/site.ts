import type { docsRoutes, probeRoutes, Status, siteRoutes } from '@tollgate/contract';
import type { ApiLanguage } from '@tollgate/contract/openapi.ts';
import { PublicError } from '../platform/errors.ts';
import { type BuildInfo, buildStatus, type Options } from '../settings/index.ts';
import type { Handlers } from './types.ts';

export interface SiteDeps {
  options(): Options;
  build: BuildInfo;
  health: SiteHealth;
}

/** What monitors ask. */
export interface SiteHealth {
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  /** Calls under way in this process. */
  openCalls(): number;
}

export function siteHandlers({ options, build }: Pick<SiteDeps, 'options' | 'build'>): Handlers<typeof siteRoutes> {
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

export function probeHandlers({ health }: Pick<SiteDeps, 'health'>): Handlers<typeof probeRoutes> {
  return {
    async statusTest(call) {
      await health.ping().catch(() => {
        throw new PublicError('database_unreachable');
      });
      call.say('Server is running');
      call.add({ http_stats: { active_connections: health.openCalls() } });
    },
    setup: () => ({ status: true, root_init: false, database_type: '' }),
    runSetup() {
      throw new PublicError('already_set_up');
    },
  };
}

/** The console API, described; few ask for it, so it is made when somebody does. */
export function docsHandlers({ build }: Pick<SiteDeps, 'build'>): Handlers<typeof docsRoutes> {
  const descriptions = new Map<ApiLanguage, string>();
  return {
    async openapi({ query: { lang: language } }) {
      const { describeApi } = await import('@tollgate/contract/openapi.ts');
      const text = descriptions.get(language) ?? JSON.stringify(describeApi({ version: build.version, language }));
      descriptions.set(language, text);
      return new Response(text, {
        headers: { 'content-type': 'application/json', 'content-disposition': 'inline; filename="openapi.json"' },
      });
    },
  };
}
