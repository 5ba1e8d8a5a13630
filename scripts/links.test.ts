import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { optionGroups } from '../contract/src/option-groups.ts';
import { listFiles } from './source-files.ts';

const root = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const files = listFiles(root);
/** Decisions are of their day: their links must lead somewhere, the files that they name may be gone. */
const pages = files.filter((file) => /^(\w+|docs\/.*)\.md$/.test(file));
const present = pages.filter((file) => !file.startsWith('docs/decisions/'));

/** A type of the code, a route of Ollama, a client's class, and a word of Kubernetes. */
const others = ['FamilyShape', '/api/chat', 'ResponsesWS', 'CreateContainerConfigError'];

/** A page without its blocks of code. */
const prose = (page: string): string => read(page).replaceAll(/^\s*```[\s\S]*?^\s*```$/gm, '');

/** The anchor of a heading as code hosts make it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
const anchorsOf = (page: string): string[] => [...prose(page).matchAll(/^#{2,4} (.+)$/gm)].map(([, text = '']) => anchorOf(text));

test('every link of a page leads to a file that is there, and to one of its headings', () => {
  const dead = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
      if (/^(https?:|mailto:)/.test(link)) return [];
      const [place = '', anchor] = link.split('#');
      const target = place === '' ? page : path.posix.join(path.posix.dirname(page), place);
      const isThere = existsSync(path.join(root, target));
      const isAnchor = anchor === undefined || (isThere && anchorsOf(target).includes(decodeURIComponent(anchor)));
      return isThere && isAnchor ? [] : [`${page}: ${link}`];
    }),
  );
  expect(dead).toEqual([]);
});

describe('what a page names between backticks', () => {
  const named = present.flatMap((page) => [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => ({ page, text })));
  const missing = (pattern: RegExp, isThere: (text: string) => boolean): string[] => {
    const fitting = named.filter(({ text }) => pattern.test(text));
    expect(fitting.length).toBeGreaterThan(20);
    return fitting.filter(({ text }) => !isThere(text)).map(({ page, text }) => `${page}: ${text}`);
  };

  test('is a file of this repository, or ends the name of one', () => {
    const isThere = (text: string) => files.some((file) => `/${file}`.endsWith(`/${text}`));
    expect(missing(/^\w[\w./-]*\/[\w.-]+\.(ts|tsx|mjs|json|md|yaml|conf|service)$/, isThere)).toEqual([]);
  });

  test('is a route of the console API', () => {
    const contract = files.filter((file) => /^contract\/src\/.*\.ts$/.test(file) && !file.includes('.test.')).map(read);
    // Some files name what their routes begin with once.
    const whole = contract.map((text) => text.replace(/\$\{base\}/g, /const base = '(.*)'/.exec(text)?.[1] ?? ''));
    const routes = whole.flatMap((text) => [...text.matchAll(/['`](\/api\/[\w/:.-]*)['`]/g)].map(([, route = '']) => route));
    const isThere = (text: string) => others.includes(text) || routes.includes(/\/api\/[\w/:.-]*/.exec(text)?.[0] ?? '');
    expect(missing(/^(?:(?:GET|POST|PUT|DELETE) (?:or POST )?)?\/api\/[\w/:.-]+/, isThere)).toEqual([]);
  });

  test('is an option of the operator', () => {
    const options = new Set<string>(Object.values(optionGroups).flatMap((group) => Object.keys(group.options)));
    const isThere = (text: string) => options.has(text) || others.includes(text);
    expect(missing(/^[A-Z][a-z]+(?:[A-Z][a-z0-9]*)+$/, isThere)).toEqual([]);
  });
});

test('a group of settings stands under the tab that a page names', () => {
  const texts = JSON.parse(read('console/messages/en.json')) as Record<string, string>;
  const places = Object.entries(optionGroups).map(
    ([name, { tab }]) => `${texts[`setting_${tab}`]} > ${texts[`optgroup_${name}`]}`,
  );
  const named = present.flatMap((page) =>
    [...prose(page).matchAll(/\*Settings > (\w+ > [^*]+)\*/g)].map(([, place = '']) => place),
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((place) => !places.includes(place))).toEqual([]);
});

test.each(['zh', 'en'])('what the manual calls a button, a field or a page is called so in the console: %s', (language) => {
  const texts = Object.values(JSON.parse(read(`console/messages/${language}.json`)) as Record<string, string>);
  const shown = texts.filter((text) => typeof text === 'string').map((text) => text.toLowerCase());
  const manual = files.filter((file) => file.startsWith(`docs/manual/${language}/`) && file.endsWith('.md'));
  const terms = manual.flatMap((page) =>
    [...prose(page).matchAll(/(?<![*\w])\*([^*\n]+)\*(?!\*)/g)].map(([, term = '']) => term),
  );
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.filter((term) => !shown.some((text) => text.startsWith(term.toLowerCase())))).toEqual([]);
});

test.each(['zh', 'en'])('the browsers that the manual names are those that the console is built for: %s', (language) => {
  const [, built = ''] = /target: \[(.*)\]/.exec(read('console/vite.config.ts')) ?? [];
  const wanted = new Set([...built.matchAll(/\d+/g)].map(([version]) => version));
  const [line = ''] = /^.*Safari.*$/m.exec(read(`docs/manual/${language}/screens.md`)) ?? [];
  expect(new Set(line.match(/\d+/g))).toEqual(wanted);
  for (const [, name = ''] of built.matchAll(/'([a-z]+)\d+'/g)) expect(line.toLowerCase()).toContain(name);
});
