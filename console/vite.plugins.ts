import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { routes } from '@tollgate/contract';
import type { Plugin, Rollup } from 'vite';
import { manualFiles } from './manual.ts';
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

/** The icons as drawings for `ui/icon.ts`: lucide's own modules carry a key for each line, names, and a factory with options that nobody uses. */
export function slimIcons(): Plugin {
  const factory = fileURLToPath(new URL('./src/ui/icon.ts', import.meta.url));
  return {
    name: 'tollgate:slim-icons',
    apply: 'build',
    async load(id) {
      if (!/lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/]/.test(id)) return;
      const { __iconData: data } = (await import(pathToFileURL(id).href)) as {
        __iconData?: { node: [string, { key?: string }][] };
      };
      if (data === undefined) return;
      const drawing = data.node.map(([tag, { key: _, ...attributes }]) => [tag, attributes]);
      return `import { icon } from ${JSON.stringify(factory)};\nexport default /* @__PURE__ */ icon(${JSON.stringify(drawing)});`;
    },
  };
}

/**
 * React as a module of named parts: what is published is of the kind before modules, which every script of the console would
 * unwrap once, and call through: `(0, t.jsx)(...)` instead of `t(...)`, 3,800 times.
 */
export function reactModules(): Plugin {
  return {
    name: 'tollgate:react-modules',
    apply: 'build',
    async load(id) {
      const [, library] =
        /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/](?!cjs)[\w\\/-]+\.js$/.exec(id) ?? [];
      if (library === undefined) return;
      if (/shim[\\/]index\.js$/.test(id)) return "export { useSyncExternalStore } from 'react';";
      const [production] = /cjs\/[\w/-]+\.production\.js/.exec(await readFile(id, 'utf8')) ?? [];
      const folder = `${id.slice(0, id.lastIndexOf(library) + library.length)}/`;
      return production && asModule(await readFile(folder + production, 'utf8'));
    },
    // There is no default part.
    transform: (code) =>
      code.replace(
        /^import (React)(?:, (\{.*\}))? from (["']react["'])/m,
        (_all, name, parts, from) => `import * as ${name} from ${from}${parts ? `; import ${parts} from ${from}` : ''}`,
      ),
  };
}

/** What a script of the kind before modules exports and requires, as a module exports and imports it. */
export function asModule(script: string): string {
  const names = [...new Set([...script.matchAll(/\bexports\.(\w+)/g)].map(([, name = '']) => name))];
  const imports = [...script.matchAll(/(\w+) = require\("([^"]+)"\)/g)].map(
    ([, name, from]) => `import * as ${name} from '${from}';`,
  );
  const body = script
    .replace(/^var (\w+ = require\("[^"]+"\),?\s*)+;/m, '')
    .replace(/^exports\.(\w+) =/gm, 'var exports_$1 =')
    .replace(/\bexports\.(\w+)/g, 'exports_$1');
  const rest = names.filter((name) => !body.includes(`var exports_${name} =`)).map((name) => `var exports_${name};`);
  return [...imports, body, ...rest, `export { ${names.map((name) => `exports_${name} as ${name}`).join(', ')} };`].join('\n');
}

/** The manual as files that its pages fetch: no text of it is in a program. */
export function manual(): Plugin {
  return {
    name: 'tollgate:manual',
    generateBundle() {
      for (const file of manualFiles()) this.emitFile({ type: 'asset', ...file });
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const asked = (request.url ?? '').split('?', 1)[0];
        const found =
          /^\/(manual|assets\/manual-)/.test(asked ?? '') && manualFiles().find(({ fileName }) => `/${fileName}` === asked);
        if (!found) return next();
        response.setHeader('content-type', asked?.endsWith('.webp') ? 'image/webp' : 'application/json');
        response.end(found.source);
      });
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
          if (!/^(?!\.vite\/).*\.(js|css|svg|html|json)$/.test(item.fileName)) continue;
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

const preloadFile = '.vite/preloads.json';
const source = (file: string): string => readFileSync(new URL(`./src/${file}`, import.meta.url), 'utf8');

/** The pages in the table of routes: path, and the modules of the page and of the pages around it. */
function pageModules(): Map<string, readonly string[]> {
  const known = new Map<string, { path: string; modules: readonly string[] }>();
  const pages = new Map<string, readonly string[]>();
  for (const part of source('app/routes.tsx').split(/^const /m)) {
    const [, name, parent = ''] = /^(\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+)/.exec(part) ?? [];
    if (name === undefined) continue;
    const around = known.get(parent) ?? { path: '', modules: [] };
    const own = /^ {2}path: '([^']+)'/m.exec(part)?.[1];
    const module = /import\('([^']+)'\)/.exec(part)?.[1];
    const path = around.path + (own ?? '');
    const modules = module === undefined ? around.modules : [...around.modules, moduleOf(module)];
    known.set(name, { path, modules });
    if (own !== undefined) pages.set(path, modules);
  }
  // A tab is a page of its own.
  const setting = pages.get('/setting') ?? [];
  for (const [, key = '', module = ''] of source('app/setting/SettingPage.tsx').matchAll(
    /key: '(\w+)',[^}]*?import\('([^']+)'\)/g,
  ))
    pages.set(key === 'personal' ? '/setting' : `/setting?tab=${key}`, [...setting, moduleOf(module, 'app/setting/')]);
  return pages;
}

const moduleOf = (module: string, from = 'app/'): string =>
  fileURLToPath(new URL(from + module, new URL('./src/', import.meta.url)));

/**
 * Which files each page needs, for the server to name beside the document: they are asked for together with the program
 * that would ask for them, and the page's first question to the server is one round earlier.
 */
export function pagePreloads(): Plugin {
  return {
    name: 'tollgate:page-preloads',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((item) => item.type === 'chunk');
      const entry = filesOf(
        chunks,
        chunks.filter(({ isEntry }) => isEntry),
      );
      const table: Record<string, string[]> = {};
      for (const [path, modules] of pageModules()) {
        const own = modules.map((module) => {
          const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(module));
          if (chunk === undefined) throw new Error(`the page ${path} has no chunk: ${module}`);
          return chunk;
        });
        table[path] = [...filesOf(chunks, own)].filter((file) => !entry.has(file)).map((file) => `/${file}`);
      }
      this.emitFile({ type: 'asset', fileName: preloadFile, source: JSON.stringify(table) });
    },
  };
}

type Chunk = Extract<Rollup.OutputBundle[string], { type: 'chunk' }>;

/** These chunks and everything that they import at once. */
function filesOf(chunks: readonly Chunk[], from: readonly Chunk[]): Set<string> {
  const files = new Set<string>();
  const add = ({ fileName, imports }: Chunk): void => {
    if (files.has(fileName)) return;
    files.add(fileName);
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) add(chunk);
  };
  for (const chunk of from) add(chunk);
  return files;
}
