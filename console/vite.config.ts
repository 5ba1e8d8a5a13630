import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import product from './package.json' with { type: 'json' };
import {
  contractRoutes,
  manual,
  messages,
  pagePreloads,
  precompress,
  reactModules,
  slimIcons,
  themeBoot,
} from './vite.plugins.ts';

const apiOrigin = process.env.TOLLGATE_API ?? `http://127.0.0.1:${process.env.PORT ?? '3000'}`;

/** A module's path below the repository or below node_modules, with plain slashes. */
const place = (id: string): string => id.replaceAll('\\', '/').replace(/^.*\/(?=node_modules\/|console\/src\/)/, '');
const inside =
  (...patterns: RegExp[]) =>
  (id: string): boolean =>
    patterns.some((pattern) => pattern.test(place(id)));

/**
 * Hand-made chunks, so that a page is few files: libraries of every page; the shell, which stays in the entry; forms in
 * front of the door; small pieces that several pages use; what lists share; what floats. A group brings what its modules
 * import, unless a group of higher priority has it. The budget script shows when one of them pulls too much into a page.
 */
const groups = [
  {
    name: 'vendor',
    priority: 5,
    test: inside(
      /rolldown.runtime/,
      /^node_modules\/(react|react-dom|scheduler|use-sync-external-store)\//,
      /^node_modules\/@tanstack\/(react-router|router-core|history|react-store|store|react-query|query-core)\//,
    ),
  },
  { name: 'shell', priority: 4, tags: ['$initial' as const] },
  {
    name: 'door',
    priority: 3,
    test: inside(
      /src\/features\/auth\/(AuthCard|queries|model)\.tsx?$|src\/ui\/form\/(useSmallForm\.ts|PasswordInput\.tsx)$/,
      /src\/ui\/(Field|Alert)\.tsx$|src\/ui\/signin\/(address|useBotCheck)\.tsx?$/,
      /lucide-react\/dist\/esm\/icons\/(eye|eye-off|info|circle-exclamation-point|triangle-alert)\.\w+$/,
      /generated\/group-(login|password|register|bot|caps)\.ts$/,
    ),
    minShareCount: 2,
  },
  {
    name: 'kit',
    priority: 2,
    test: inside(
      /^node_modules\/lucide-react\/|contract-routes(\/(site|account|agentSelf|users|log))?$/,
      /src\/(lib|i18n)\/(?!samples|json-fault|fuzzy|price|channel-types)[\w-]+\.ts$|src\/ui\/(?!useReportedTest|OnceShown|QrCode|ChannelBadge|Frame|SampleKinds)\w+\.tsx?$|src\/api\/(agent|call|client|errors|routes|self|session|status|whole-answer|write)\.ts$/,
      /generated\/group-(save|site)\.ts$|src\/ui\/form\/useSettled\.ts$/,
    ),
    minShareCount: 2,
  },
  {
    name: 'list',
    priority: 1,
    test: inside(
      /^node_modules\/@tanstack\/(react-table|table-core)\//,
      /src\/ui\/table\/(?!SortHeader|sort\.ts|GroupFilter|MaskedText)|src\/lib\/price\.ts$|src\/ui\/(ChannelBadge\.tsx|form\/(TimeFilter|DateTimeInput|useRange)\.tsx?)$|src\/api\/(page|tokens)\.ts$|generated\/group-(col|done|delete|filter|group|list|open|pager|table)\.ts$/,
    ),
    minShareCount: 2,
  },
  // What the frame of the console needs at once, and visitors never.
  { name: 'frame', test: inside(/src\/app\/(menu\.ts|shell\/(Sidebar|UserMenu|ConsoleLayout)\.tsx)$/) },
  // Pieces of a few lines each, of the channels' page and its dialogs.
  {
    name: 'channel-texts',
    test: inside(/(generated\/group-(tag|balance|batch|job|weight|priority)|useReportedTest)\.ts$/),
    minShareCount: 2,
  },
  // What the lists of channels and users share, and other pages in part.
  { name: 'channels', priority: 1, test: inside(/src\/(ui\/table\/GroupFilter\.tsx|api\/channels\.ts)$/), minShareCount: 2 },
  // What the types of channels are called.
  { name: 'channel-types', priority: 1, test: inside(/src\/lib\/channel-types\.ts$/), minShareCount: 2 },
  { name: 'download', test: inside(/src\/ui\/download\//), minShareCount: 2 },
  // Of the wallet, the payments and the agents: would come along with one of these otherwise.
  { name: 'order', priority: 1, test: inside(/src\/ui\/payment\/order\.ts$/), minShareCount: 2 },
  // Of the wallet and the personal settings.
  { name: 'invite', test: inside(/src\/ui\/invite\/InviteCard\.tsx$|generated\/group-invite\.ts$/), minShareCount: 2 },
  // What the agent's pages have in common.
  {
    name: 'agency',
    test: inside(/src\/features\/agents\/(model|queries|MoneyButtons|filters|Contact|Figures)\.tsx?$/),
    minShareCount: 2,
  },
  // Of pages and dialogs with a form: would bring all that floats into those pages otherwise.
  {
    name: 'guard',
    priority: 1,
    test: inside(/src\/ui\/form\/(useGuard|SaveFault|save-hint|Section|keepEnter)\.tsx?$/),
    minShareCount: 2,
  },
  // Of pages that are still read, with a form or not.
  { name: 'skeleton', priority: 1, test: inside(/src\/ui\/form\/FormSkeleton\.tsx$/) },
  // How a key is used: of the tokens' page, its dialog and the playground.
  {
    name: 'samples',
    test: inside(/src\/(lib\/samples|features\/tokens\/model)\.ts$|src\/ui\/SampleKinds\.tsx$|generated\/group-howto\.ts$/),
    minShareCount: 2,
  },
  { name: 'float', test: inside(/^node_modules\/(@base-ui|@floating-ui)\/|src\/ui\/overlay\/Dialog\.tsx$/) },
];

export default defineConfig({
  plugins: [
    messages(),
    contractRoutes(),
    slimIcons(),
    reactModules(),
    react(),
    tailwindcss(),
    themeBoot(),
    manual(),
    precompress(),
    pagePreloads(),
  ],
  // What the page compares the server's version with.
  define: { 'import.meta.env.VITE_TOLLGATE_VERSION': JSON.stringify(product.version) },
  server: { proxy: { '/api': apiOrigin, '/v1': apiOrigin } },
  build: {
    manifest: true,
    // As the manual says.
    target: ['chrome128', 'edge128', 'firefox128', 'safari18'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // React looks for two functions that only its scheduler of tests has.
      checks: { importIsUndefined: false },
      // Constants and texts are used one by one: neither the contract's schemas nor other pages' texts come along.
      treeshake: {
        // A constant that nobody uses, read from an object, is left out.
        propertyReadSideEffects: false,
        manualPureFunctions: ['z', 'defineRoute', 'data', 'numberFilter', 'keptWhenAbsent'],
        moduleSideEffects: [{ test: /[\\/](contract[\\/]src|i18n[\\/]generated)[\\/]/, sideEffects: false }],
      },
      output: {
        codeSplitting: { groups },
        // Every script names others, and the first all of them: what does not compress counts. Which is which stands in the manifest.
        ...{ entryFileNames: 'assets/[name]-[hash:7].js', chunkFileNames: 'assets/[hash:7].js' },
        hashCharacters: 'base36',
      },
    },
  },
});
