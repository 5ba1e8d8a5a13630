import { readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { variables } from '../src/env.ts';

/** The chart is not rendered here: no distribution has helm. What can be wrong without rendering is looked at. */
const folder = join(import.meta.dirname, '../../deploy/helm/tollgate');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const templates = readdirSync(join(folder, 'templates')).map((file) => ({ file, text: read(join('templates', file)) }));
const values = parse(read('values.yaml')) as Record<string, unknown>;
/** What a node that drains takes besides: 5 s before, 5 s for what is cut, 30 s for letters on their way, and some to write and close. */
const beyondDrain = 50;

test('the chart describes itself, and sets only variables that there are', () => {
  expect(parse(read('Chart.yaml'))).toMatchObject({ apiVersion: 'v2', name: 'tollgate', type: 'application' });
  const own = templates.flatMap(({ text }) => [...text.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name]) => name ?? ''));
  const set = [...Object.keys(values.env as object), ...own];
  expect(set.length).toBeGreaterThan(5);
  expect(set.filter((name) => !(name in variables))).toEqual([]);
});

test('the nodes of compose.yaml believe their proxy and nobody else, and no other container can get its address', () => {
  const compose = parse(readFileSync(join(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8'), { merge: true });
  const { services, networks } = compose as {
    services: Record<string, { environment?: Record<string, string>; networks: unknown }>;
    networks: { inside: { ipam: { config: [{ subnet: string; gateway: string; ip_range: string }] } } };
  };
  const trusted = ['node1', 'node2', 'node3'].map((name) => services[name]?.environment?.TRUSTED_PROXIES ?? '');
  const [address = ''] = trusted;
  expect(new Set(trusted).size).toBe(1);
  expect(services.proxy?.networks).toEqual({ inside: { ipv4_address: address } });
  const [{ subnet, gateway, ip_range }] = networks.inside.ipam.config;
  const isIn = (range: string) => ipaddr.parse(address).match(ipaddr.parseCIDR(range));
  expect([isIn(subnet), isIn(ip_range), address === gateway]).toEqual([true, false, false]);
});

test('a node of compose.yaml that is made anew has the address that its proxy asked for once, and Prometheus asks all of them', () => {
  const compose = parse(readFileSync(join(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8'), { merge: true });
  const { services, networks } = compose as {
    services: Record<string, { networks: { inside?: { ipv4_address?: string } } }>;
    networks: { inside: { ipam: { config: [{ subnet: string; ip_range: string }] } } };
  };
  const nodes = Object.keys(services).filter((name) => name.startsWith('node'));
  const addresses = ['proxy', ...nodes].map((name) => services[name]?.networks.inside?.ipv4_address ?? '');
  expect(new Set(addresses).size).toBe(addresses.length);
  const [{ subnet, ip_range }] = networks.inside.ipam.config;
  const isIn = (address: string, range: string) => ipaddr.parse(address).match(ipaddr.parseCIDR(range));
  expect(addresses.filter((address) => !isIn(address, subnet) || isIn(address, ip_range))).toEqual([]);
  const scrape = readFileSync(join(import.meta.dirname, '../../deploy/prometheus/scrape.yaml'), 'utf8');
  expect(nodes.filter((name) => !scrape.includes(`"${name}:9464"`))).toEqual([]);
});

test('the head of compose.yaml restores as the manual does, beside what was there, and looks after the outbox of each node', () => {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, unknown> };
  const nodes = Object.keys(services).filter((name) => name.startsWith('node'));
  const steps = [
    `stop ${nodes.join(' ')}`,
    'RENAME TO before',
    'pg_restore -U tollgate --exit-on-error --no-owner --dbname=tollgate',
    ...nodes.map((name) => `run --rm --no-deps ${name} tollgate after-restore`),
    'docker compose up -d',
  ];
  const from = text.indexOf('# Restore');
  const places = steps.map((step) => text.indexOf(step, text.indexOf('compose stop', from)));
  expect(places.filter((place) => place < 0)).toEqual([]);
  expect(places.toSorted((left, right) => left - right)).toEqual(places);
});

test('one service of compose.yaml builds the image, and no other asks a registry for one of its name', () => {
  const compose = parse(readFileSync(join(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8'), { merge: true });
  const { services } = compose as { services: Record<string, { image: string; build?: object; pull_policy?: string }> };
  const ours = Object.values(services).filter(({ image }) => image === 'tollgate');
  expect(ours).toHaveLength(3);
  expect(ours.map(({ build, pull_policy }) => (build === undefined ? pull_policy : 'built'))).toEqual([
    'built',
    'never',
    'never',
  ]);
});

test('what the services of compose.yaml print has a bound on the disk', () => {
  const compose = parse(readFileSync(join(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8'), { merge: true });
  const { services } = compose as { services: Record<string, { logging?: { options?: Record<string, string> } }> };
  const boundless = Object.entries(services).filter(([, { logging }]) => !/^\d+m$/.test(logging?.options?.['max-size'] ?? ''));
  expect(boundless.map(([name]) => name)).toEqual([]);
});

test('a number of the values is written as it stands: quote alone makes 1e+06 of a million', () => {
  const quoted = templates.flatMap(({ text }) => [...text.matchAll(/\{\{-?\s*(\S+) \| quote\b/g)].map(([, path]) => path ?? ''));
  const shortest = ['.Values.metrics.port', '.Values.ingress.host', '$.Values.ingress.host', '.Chart.AppVersion'];
  expect(quoted.filter((path) => !shortest.includes(path) && path !== 'int64')).toEqual([]);
  const env = templates.find(({ file }) => file === 'nodes.yaml')?.text;
  expect(env).toContain('value: {{ include "tollgate.text" $value }}');
});

test('several nodes do not start without the database that they share, and no variable is set twice', () => {
  const { text } = templates.find(({ file }) => file === 'nodes.yaml') ?? { text: '' };
  expect(text).toMatch(
    /if and \(or \.Values\.autoscaling\.enabled \(gt \(int \.Values\.replicas\) 1\)\) .*\n.*\n +- name: DATABASE_URL\n +valueFrom: \{ secretKeyRef: .*, key: DATABASE_URL \}/,
  );
  const own = [...text.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name]) => name);
  const [, refused = ''] = /has \$name \(list (.*?)\)/.exec(text) ?? [];
  expect([...refused.matchAll(/"(\w+)"/g)].map(([, name]) => name).toSorted()).toEqual(own.toSorted());
});

test('the image runs `npx tollgate`, as texts name it, itself, and asks no registry for it', () => {
  const dockerfile = readFileSync(join(folder, '../../Dockerfile'), 'utf8');
  expect(dockerfile).toContain('ln -sf /usr/local/bin/tollgate node_modules/.bin/tollgate');
});

test('an empty list of the network policy leaves its rule out: in Kubernetes it would mean everybody', () => {
  const policy = templates.find(({ file }) => file === 'network.yaml')?.text ?? '';
  const lists = Object.entries(values.networkPolicy as object).filter(([, value]) => Array.isArray(value));
  expect(lists.map(([name]) => name)).toEqual(['from', 'metricsFrom', 'to']);
  for (const [name] of lists)
    expect(policy).toMatch(new RegExp(`\\{\\{- with \\.Values\\.networkPolicy\\.${name} \\}\\}\\n +- \\w+: \\{\\{- toYaml \\. `));
  expect(policy).not.toMatch(/toYaml \.Values/);
});

test('each value that a template reads is there, and each that is there is read', () => {
  const pathsIn = (value: unknown, path = ''): string[] => {
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isGroup ? Object.entries(value).flatMap(([key, each]) => pathsIn(each, `${path}.${key}`)) : [path];
  };
  const there = pathsIn(values);
  const asked = [
    ...new Set(templates.flatMap(({ text }) => [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path]) => path ?? ''))),
  ];
  const fits = (one: string, other: string) => one === other || one.startsWith(`${other}.`);
  expect(asked.filter((path) => !there.some((each) => fits(each, path)))).toEqual([]);
  expect(there.filter((path) => !asked.some((each) => fits(path, each)))).toEqual([]);
});

test.each(templates)('$file closes what it opens, and is YAML apart from its braces', ({ file, text }) => {
  const words = [...text.matchAll(/\{\{-?\s*(if|range|with|define|end)\b/g)].map(([, word]) => word);
  expect(words.filter((word) => word === 'end')).toHaveLength(words.length / 2);
  if (file.endsWith('.tpl')) return;
  // A line of its own goes, one within a line is some word.
  const plain = text.replaceAll(/^\s*\{\{.*\}\}\s*$/gm, '').replaceAll(/\{\{.*?\}\}/g, 'x');
  for (const document of plain.split(/^---$/m)) expect(parse(document)).toMatchObject({ kind: expect.any(String) });
});

test('nodes run without rights, on a root that cannot be written, and are drained before they are ended', () => {
  const nodes = templates.find(({ file }) => file === 'nodes.yaml')?.text ?? '';
  for (const words of ['runAsNonRoot: true', 'readOnlyRootFilesystem: true', 'drop: [ALL]', 'path: /readyz', 'path: /healthz'])
    expect(nodes).toContain(words);
  const { terminationGracePeriodSeconds, env } = values as { terminationGracePeriodSeconds: number; env: Record<string, string> };
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(env.DRAIN_SECONDS) + beyondDrain);
});

test('the unit and the containers are given as long to stop, too', () => {
  const deployed = (file: string): string => readFileSync(join(folder, '../..', file), 'utf8');
  const given = [
    /^TimeoutStopSec=(\d+)$/m.exec(deployed('systemd/tollgate.service')),
    /^ +stop_grace_period: (\d+)s$/m.exec(deployed('compose.yaml')),
    /docker stop --time (\d+)/.exec(deployed('Dockerfile')),
  ].map((found) => Number(found?.[1]));
  const least = Number(variables.DRAIN_SECONDS.fallback) + beyondDrain;
  expect(given.filter((seconds) => !(seconds >= least))).toEqual([]);
});

test('a container that migrates at its start is given as long as a pod', () => {
  const nodes = templates.find(({ file }) => file === 'nodes.yaml')?.text ?? '';
  const [, period, failures] = /startupProbe:[^-]*?periodSeconds: (\d+)\s+failureThreshold: (\d+)/.exec(nodes) ?? [];
  const [, seconds] = /--start-period=(\d+)s/.exec(readFileSync(join(folder, '../../Dockerfile'), 'utf8')) ?? [];
  expect(Number(seconds)).toBe(Number(period) * Number(failures));
});

test('the image is built from the manifest of every workspace, and no test goes into it', () => {
  const lines = readFileSync(join(folder, '../../Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  const isNamed = (file: string, line: string) => matchesGlob(file, line) || file.startsWith(`${line}/`);
  const isLeftOut = (file: string): boolean =>
    !(lines.findLast((line) => isNamed(file, line.replace('!', ''))) ?? '!').startsWith('!');
  const copied = [...readFileSync(join(folder, '../../Dockerfile'), 'utf8').matchAll(/^COPY (\w+)\/package\.json/gm)].map(
    ([, name]) => name ?? '',
  );
  const { workspaces } = JSON.parse(readFileSync(join(folder, '../../../package.json'), 'utf8')) as { workspaces: string[] };
  expect(copied).toEqual(workspaces);
  expect(copied.filter((name) => isLeftOut(`${name}/package.json`))).toEqual([]);
  const ofTests = [
    'server/src/env.test.ts',
    'console/src/a.test.tsx',
    'server/test/redis.ts',
    'wire/fixtures/a.json',
    'e2e/support/wait.ts',
  ];
  expect(ofTests.filter((file) => !isLeftOut(file))).toEqual([]);
  expect(['server/src/env.ts', 'wire/src/dialects.ts', 'docs/manual/pages.json'].filter(isLeftOut)).toEqual([]);
});
