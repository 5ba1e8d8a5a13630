import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { createGuard, EgressRefused, endpointOf } from './guard.ts';

const guard = createGuard({ allowPrivate: ['10.1.0.0/16', '127.0.0.1:9100'], rewrite: ['api.example.com=http://127.0.0.1:1'] });
const vet = (url: string) => guard.target(new URL(url)).origin;

test('private, special and metadata addresses are refused in every spelling', () => {
  const refused = [
    'http://127.0.0.1:9101',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/',
    'http://10.2.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://[fe80::1]/',
    'http://[200:1234::1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b:1::808:808]/',
    'http://[4000::1]/',
    'http://[2001:db8::1]/',
    'http://[2002:7f00:1::]/',
    'http://0.0.0.0/',
    'ftp://8.8.8.8/',
    'http://user:secret@8.8.8.8/',
    'http://:secret@8.8.8.8/',
  ];
  for (const url of refused) expect(() => vet(url), url).toThrow(EgressRefused);
});

test('of each range that leads nowhere in the world both ends are refused, and what lies beside it is not', () => {
  const ranges = [
    ...['0.0.0.1', '0.255.255.255', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.255.255.255', '169.254.0.1'],
    ...[
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.255.255',
      '198.18.0.1',
      '198.19.255.255',
    ],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '[::]',
      '[100::1]',
      '[2001::1]',
      '[2001:1ff::1]',
      '[2001:db8:ffff::1]',
      '[3fff:fff::1]',
      '[5f00::1]',
      '[fc00::1]',
      '[fdff::1]',
    ],
    ...['[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]'],
  ];
  for (const host of ranges) expect(() => vet(`http://${host}/`), host).toThrow(EgressRefused);
  const beside = ['1.1.1.1', '9.255.255.255', '11.0.0.1', '100.63.255.255', '100.128.0.1', '172.15.255.255', '172.32.0.1'];
  const more = ['192.0.1.1', '192.167.255.255', '198.17.255.255', '198.20.0.1', '[2001:4860:4860::8888]', '[2606:4700::1111]'];
  for (const host of [...beside, ...more]) expect(vet(`https://${host}`), host).toBe(`https://${host}`);
});

test('listed private targets and public addresses pass', () => {
  expect(vet('http://10.1.2.3:8080/x')).toBe('http://10.1.2.3:8080');
  expect(vet('http://127.0.0.1:9100')).toBe('http://127.0.0.1:9100');
  expect(vet('https://8.8.8.8')).toBe('https://8.8.8.8');
});

test('a host is listed as addresses are written: IPv6 in brackets, names in any case, the usual port said', () => {
  const listed = createGuard({ allowPrivate: ['[::1]:11434', '[fd00:0:0::5]:80', 'LocalHost:443'], rewrite: [] });
  for (const url of ['http://[::1]:11434/v1', 'http://[fd00::5]/', 'https://localhost']) {
    expect(() => listed.target(new URL(url)), url).not.toThrow();
  }
  expect(() => listed.target(new URL('http://[::1]:11435'))).toThrow(EgressRefused);
});

test('a metadata address stays refused when its range is listed, or is a public one', () => {
  const open = createGuard({ allowPrivate: ['169.254.0.0/16', '100.64.0.0/10', 'fd00::/8'], rewrite: [] });
  const v4 = ['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '100.100.100.200', '168.63.129.16'];
  for (const host of [...v4, '[fd00:ec2::254]', '[fd00:ec2:0:0::23]', '[fd20:ce::254]', '[::ffff:168.63.129.16]'])
    expect(() => open.target(new URL(`http://${host}`)), host).toThrow('is a metadata address');
  expect(open.target(new URL('http://169.254.1.1')).origin).toBe('http://169.254.1.1');
});

test('behind a translator the IPv4 address that is met is judged, not the one that is dialled', () => {
  const open = createGuard({
    allowPrivate: ['10.1.0.0/16', '64:ff9b::/96'],
    rewrite: [],
    own: { host: '8.8.4.4', ports: [3000] },
  });
  const at = (host: string) => () => open.target(new URL(`http://[64:ff9b::${host}]:3000`));
  expect(at('808:808')().origin).toBe('http://[64:ff9b::808:808]:3000');
  expect(at('a01:203')().origin).toBe('http://[64:ff9b::a01:203]:3000');
  for (const host of ['a02:1', '7f00:1']) expect(at(host), host).toThrow('is a private address');
  for (const host of ['a9fe:a9fe', 'a83f:8110']) expect(at(host), host).toThrow('is a metadata address');
  expect(at('808:404')).toThrow('is this gateway itself');
});

test('a name that resolves to a private address is refused at the look-up', async () => {
  const { lookup } = guard.target(new URL('http://localhost:9'));
  const error = await new Promise((resolve) => lookup('localhost', { all: true }, resolve));
  expect(error).toBeInstanceOf(EgressRefused);
});

test('our own doors are refused whatever is listed, by every address of this machine and no other', async () => {
  const listed = ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '127.0.0.1:3000', '0.0.0.0:3000'];
  const open = (host: string) => createGuard({ allowPrivate: listed, rewrite: [], own: { host, ports: [3000, 9464] } });
  const mine = ['http://127.0.0.1:3000', 'http://127.5.5.5:9464', 'http://[::1]:3000', 'http://[::ffff:127.0.0.1]:3000/v1'];
  for (const url of [...mine, 'http://0.0.0.0:3000']) {
    expect(() => open('0.0.0.0').target(new URL(url)), url).toThrow('is this gateway itself');
  }
  for (const entry of Object.values(networkInterfaces()).flatMap((each = []) => each)) {
    const host = entry.family === 'IPv6' ? `[${entry.address}]` : entry.address;
    expect(() => open('::').target(new URL(`http://${host}:3000`)), host).toThrow('is this gateway itself');
  }
  for (const url of ['http://127.0.0.1:11434', 'http://10.9.9.9:3000'])
    expect(open('0.0.0.0').target(new URL(url)).origin).toBe(url);
  expect(() => open('127.0.0.1').target(new URL('http://127.0.0.1:3000'))).toThrow('is this gateway itself');
  expect(open('10.0.0.5').target(new URL('http://127.0.0.1:3000')).origin).toBe('http://127.0.0.1:3000');
  const { lookup } = open('0.0.0.0').target(new URL('http://localhost:3000'));
  const error = await new Promise((resolve) => lookup('localhost', { all: true }, resolve));
  expect(error).toBeInstanceOf(EgressRefused);
});

test('a rewritten host goes to its stand-in', () => {
  expect(vet('https://api.example.com/v1')).toBe('http://127.0.0.1:1');
});

test('a connection goes to the port that is named, else to that of the scheme', () => {
  expect(endpointOf(new URL('https://[::1]/v1'))).toEqual({ host: '::1', port: 443 });
  expect(endpointOf(new URL('http://api.example.com/v1'))).toEqual({ host: 'api.example.com', port: 80 });
  expect(endpointOf(new URL('https://api.example.com:8443/v1'))).toEqual({ host: 'api.example.com', port: 8443 });
  // As it was judged: 0 is not the scheme's.
  expect(endpointOf(new URL('http://api.example.com:0/v1'))).toEqual({ host: 'api.example.com', port: 0 });
});
