import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { contractRoutes, messages, precompress, themeBoot } from './vite.plugins.ts';

const apiOrigin = process.env.TOLLGATE_API ?? `http://127.0.0.1:${process.env.PORT ?? '3000'}`;
/** The one hand-made chunk: more of them would pull shared code into every page's preloads. */
const vendor =
  /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|@tanstack[\\/](react-router|router-core|history|react-store|store|react-query|query-core))[\\/]/;

export default defineConfig({
  plugins: [messages(), contractRoutes(), react(), tailwindcss(), themeBoot(), precompress()],
  server: { proxy: { '/api': apiOrigin, '/v1': apiOrigin } },
  build: {
    manifest: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Constants and texts are used one by one: neither the contract's schemas nor other pages' texts come along.
      treeshake: { moduleSideEffects: [{ test: /[\\/](contract[\\/]src|i18n[\\/]generated)[\\/]/, sideEffects: false }] },
      output: { codeSplitting: { groups: [{ name: 'vendor', test: vendor }] } },
    },
  },
});
