import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked, type Tokens } from 'marked';

/** Built from docs/manual/<language>/ and, as reference, from docs/. */
const docs = path.resolve(import.meta.dirname, '../docs');
export const manualLanguages = ['zh', 'en'] as const;
type Language = (typeof manualLanguages)[number];
const words = {
  zh: { copy: '复制', anchor: (title: string) => `“${title}”的链接`, table: '表格' },
  en: { copy: 'Copy', anchor: (title: string) => `Link to “${title}”`, table: 'Table' },
};

interface Contents {
  /** Pages of the manual, in their order; each exists in every language. */
  readonly pages: readonly string[];
  /** Pages of docs/, in English only. */
  readonly reference: readonly string[];
}

/** What one file of the build is, below the output folder. */
export interface ManualFile {
  readonly fileName: string;
  readonly source: string | Uint8Array;
}

interface Page {
  readonly name: string;
  readonly title: string;
  readonly headings: readonly (readonly [id: string, text: string])[];
  readonly html: string;
}

/** A line that ends in Chinese goes on without a space. */
const joined = (text: string): string => text.replace(/(?<=[\p{Script=Han}，。；：、？！）”])\n(?=[\p{Script=Han}“（*`])/gu, '');
const read = (file: string): string => readFileSync(path.join(docs, file), 'utf8');
const hashed = (name: string, extension: string, source: string | Uint8Array): string =>
  `assets/manual-${name}-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.${extension}`;
const quoted = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor of a heading as code hosts make it, so that the same link works there and here. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Pixels of a lossy or extended WebP, so that a page does not jump when it comes. */
function sizeOf(bytes: Buffer): { width: number; height: number } {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind !== 'VP8 ') throw new Error(`a picture of the manual is ${kind}, not a lossy WebP`);
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Everything that the pages of the manual fetch: an index per language, a file per page, the pictures. Throws on a dead link. */
export function manualFiles(): ManualFile[] {
  const contents = JSON.parse(read('manual/pages.json')) as Contents;
  const files = new Map<string, ManualFile>();
  const add = (fileName: string, source: string | Uint8Array): string => {
    files.set(fileName, { fileName, source });
    return `/${fileName}`;
  };
  for (const language of manualLanguages) {
    const entryOf = (name: string, place: string, group: string) => {
      const page = renderPage({ name, place, language, contents, picture: (file) => pictureOf(file, add) });
      const source = JSON.stringify({ html: page.html });
      const file = add(hashed(`${language}-${name}`, 'json', source), source);
      return { name, title: page.title, group, headings: page.headings, file };
    };
    const index = [
      ...contents.pages.map((name) => entryOf(name, `manual/${language}/${name}.md`, 'manual')),
      ...contents.reference.map((name) => entryOf(`reference-${name}`, `${name}.md`, 'reference')),
    ];
    add(`manual/${language}.json`, JSON.stringify(index));
  }
  return [...files.values()];
}

function pictureOf(file: string, add: (fileName: string, source: Uint8Array) => string) {
  const bytes = readFileSync(path.join(docs, 'manual/images', file));
  return { ...sizeOf(bytes), src: add(hashed(file.replace(/\.webp$/, ''), 'webp', bytes), bytes) };
}

interface Source {
  readonly name: string;
  /** Below docs/. */
  readonly place: string;
  readonly language: Language;
  readonly contents: Contents;
  picture(file: string): { width: number; height: number; src: string };
}

function renderPage({ name, place, language, contents, picture }: Source): Page {
  const headings: [string, string][] = [];
  const taken = new Map<string, number>();
  let title = '';
  const text = words[language];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const html = this.parser.parseInline(tokens);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        if (depth === 1) {
          title = plain;
          return `<h1>${html}</h1>`;
        }
        const slug = anchorOf(plain);
        const count = taken.get(slug) ?? 0;
        taken.set(slug, count + 1);
        const id = count === 0 ? slug : `${slug}-${count}`;
        if (depth === 2) headings.push([id, plain]);
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="${quoted(text.anchor(plain))}">#</a></h${depth}>`;
      },
      code: ({ text: code }: Tokens.Code) =>
        `<div class="code"><button type="button" data-copy>${text.copy}</button><pre tabindex="0"><code>${quoted(code)}</code></pre></div>`,
      link({ href, tokens }: Tokens.Link) {
        const html = this.parser.parseInline(tokens);
        const target = targetOf(href, place, contents);
        if (target === undefined) return html;
        return /^https?:/.test(target)
          ? `<a href="${quoted(target)}" target="_blank" rel="noreferrer">${html}</a>`
          : `<a href="${quoted(target)}">${html}</a>`;
      },
      image({ href, text: alt }: Tokens.Image) {
        const { width, height, src } = picture(href.replace(/^.*\//, ''));
        return `<img src="${src}" alt="${quoted(alt)}" width="${width}" height="${height}" loading="lazy">`;
      },
    },
  });
  const html = marked
    .parse(joined(read(place)), { async: false })
    .replaceAll('<table>', `<div class="wide" role="group" aria-label="${text.table}" tabindex="0"><table>`)
    .replaceAll('</table>', '</table></div>');
  if (title === '') throw new Error(`docs/${place} has no title`);
  return { name, title, headings, html };
}

/** Where a link of a page leads inside the console; undefined = to a file that only the repository has. */
function targetOf(href: string, place: string, { pages, reference }: Contents): string | undefined {
  if (/^(https?:|#|\/)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `http://docs/${place}`);
  if (!/^\/(manual|\w[\w-]*\.md)/.test(pathname)) return undefined;
  const [, folder, name = ''] = /^\/(manual\/\w+\/)?([\w-]+)\.md$/.exec(pathname) ?? [];
  if (folder !== undefined && pages.includes(name)) return `/docs/${name}${hash}`;
  if (folder === undefined && reference.includes(name)) return `/docs/reference-${name}${hash}`;
  if (folder !== undefined) throw new Error(`docs/${place}: there is no page ${href}`);
  return undefined;
}
