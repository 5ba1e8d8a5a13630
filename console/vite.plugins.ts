import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { routes } from '@tollgate/contract';
import type { Plugin } from 'vite';
import { compileMessages } from './scripts/messages.mjs';

/** Compiles messages/*.json before the first module is read, and again whenever one of them changes. */
export function messages(): Plugin {
  return {
    name: 'tollgate:messages',
    buildStart() {
      compileMessages();
    },
    configureServer(server) {
      server.watcher.add(new URL('./messages', import.meta.url).pathname);
      server.watcher.on('change', (file) => {
        if (/messages[\\/]\w+\.json$/.test(file)) compileMessages();
      });
    },
  };
}

/** The theme boot must block the first paint and the CSP forbids inline scripts: a classic script with a hashed name. */
export function themeBoot(): Plugin {
  const file = new URL('./theme-boot.js', import.meta.url);
  let reference = '';
  let building = false;
  return {
    name: 'tollgate:theme-boot',
    configResolved(config) {
      building = config.command === 'build';
    },
    async buildStart() {
      if (building) reference = this.emitFile({ type: 'asset', name: 'theme-boot.js', source: await readFile(file) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, context) {
        const built = Object.values(context.bundle ?? {}).find((item) => item.fileName.startsWith('assets/theme-boot'));
        const src = reference && built ? `/${built.fileName}` : '/theme-boot.js';
        return [{ tag: 'script', attrs: { src }, injectTo: 'head-prepend' }];
      },
    },
  };
}

/** Writes `name.gz` beside every text asset, so that the server never compresses on the fly. */
export function precompress(): Plugin {
  return {
    name: 'tollgate:precompress',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const item of Object.values(bundle)) {
          if (!/\.(js|css|svg|html)$/.test(item.fileName)) continue;
          const source = item.type === 'chunk' ? item.code : item.source;
          this.emitFile({ type: 'asset', fileName: `${item.fileName}.gz`, source: gzipSync(source, { level: 9 }) });
        }
      },
    },
  };
}

/**
 * The contract's routes without their schemas: method and path are all that the browser needs to call them, and the types
 * come from the contract itself. Keeps the validation library out of the pages that have no large form. One module per
 * group, so that a page carries the routes it calls and not those of the whole console.
 */
export function contractRoutes(): Plugin {
  const id = 'virtual:contract-routes';
  const sources = new Map([
    [
      id,
      Object.keys(routes)
        .map((group) => `export { ${group} } from '${id}/${group}';`)
        .join('\n'),
    ],
  ]);
  for (const [group, members] of Object.entries(routes)) {
    const slim = Object.fromEntries(Object.entries(members).map(([name, { method, path }]) => [name, { method, path }]));
    sources.set(`${id}/${group}`, `export const ${group} = ${JSON.stringify(slim)};`);
  }
  return {
    name: 'tollgate:contract-routes',
    resolveId: (source) => (sources.has(source) ? `\0${source}` : undefined),
    load: (source) => (source.startsWith('\0') ? sources.get(source.slice(1)) : undefined),
  };
}
