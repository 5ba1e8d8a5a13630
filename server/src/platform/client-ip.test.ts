import { describe, expect, test } from 'vitest';
import { createClientAddress, createClientIp, parseIpList } from './client-ip.ts';

function addressOf(trusted: string[], peer: string | undefined, headers: Record<string, string> = {}, encrypted = false) {
  const header = (name: string) => headers[name];
  const address = createClientAddress(trusted)(peer, encrypted, header);
  expect(createClientIp(trusted)(peer, header)).toBe(address.ip);
  return address;
}

describe('the caller', () => {
  test('is the socket peer when nobody is trusted, whatever the headers say', () => {
    expect(addressOf([], '203.0.113.5', { 'x-forwarded-for': '10.0.0.1' }).ip).toBe('203.0.113.5');
    expect(addressOf([], '::ffff:10.0.0.7')).toMatchObject({ ip: '10.0.0.7', isPrivate: true });
    expect(addressOf([], undefined)).toMatchObject({ ip: '', isPrivate: false });
  });

  test('is private only without any forwarding header from an untrusted peer', () => {
    for (const peer of ['127.0.0.1', '::1', '10.1.1.1', '192.168.0.9', '172.16.0.1', 'fd00::1']) {
      expect(addressOf([], peer).isPrivate, peer).toBe(true);
      for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via', 'cf-connecting-ip', 'x-forwarded-proto']) {
        expect(addressOf([], peer, { [header]: '127.0.0.1' }).isPrivate, header).toBe(false);
      }
    }
    for (const peer of ['203.0.113.5', '169.254.1.1', '100.64.0.1', '2001:db8::1', '0.0.0.0']) {
      expect(addressOf([], peer).isPrivate, peer).toBe(false);
    }
  });

  test('behind trusted proxies is the right-most entry that is none of them', () => {
    const trusted = ['127.0.0.1', '10.0.0.0/8'];
    const from = (chain: string) => addressOf(trusted, '127.0.0.1', { 'x-forwarded-for': chain });
    expect(from('203.0.113.5')).toMatchObject({ ip: '203.0.113.5', isPrivate: false });
    expect(from('127.0.0.1, 198.51.100.4, 10.0.0.2').ip).toBe('198.51.100.4');
    expect(from('192.168.1.4, 10.0.0.2')).toMatchObject({ ip: '192.168.1.4', isPrivate: true });
    expect(from('10.0.0.9, 10.0.0.2')).toMatchObject({ ip: '10.0.0.9', isPrivate: true });
  });

  test('is never private where the chain is missing or unreadable', () => {
    const trusted = ['127.0.0.1'];
    expect(addressOf(trusted, '127.0.0.1').isPrivate).toBe(false);
    for (const chain of ['', 'unknown', 'garbage, 127.0.0.1', '010.0.0.1', '0x7f.1', '127.1']) {
      expect(addressOf(trusted, '127.0.0.1', { 'x-forwarded-for': chain }).isPrivate, chain).toBe(false);
    }
  });

  test('is private under an address or a name of the network only: any other may have been made to lead here', () => {
    const isNear = (host: string) => addressOf([], '127.0.0.1', { host }).isPrivate;
    const own = [
      'localhost:3000',
      'gateway',
      '127.0.0.1:3000',
      '[::1]:3000',
      '192.168.0.4',
      'nas.local',
      'Ai.Home.Arpa:80',
      'a.localhost.',
    ];
    for (const host of own) expect(isNear(host), host).toBe(true);
    const foreign = [
      'evil.example',
      'evil.example.:3000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'notlocal.com',
      'a b.c',
      '',
    ];
    for (const host of foreign) expect(isNear(host), host).toBe(false);
    const behind = (headers: object) =>
      addressOf(['127.0.0.1'], '127.0.0.1', { 'x-forwarded-for': '192.168.1.4', host: '127.0.0.1:3000', ...headers }).isPrivate;
    expect([behind({}), behind({ host: 'evil.example' }), behind({ 'x-forwarded-host': 'evil.example' })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is on HTTPS by the socket or by the word of a trusted proxy only', () => {
    const https = { 'x-forwarded-proto': 'https' };
    expect(addressOf([], '127.0.0.1', https).isHttps).toBe(false);
    expect(addressOf(['127.0.0.1'], '127.0.0.1', https).isHttps).toBe(true);
    expect(addressOf(['127.0.0.1'], '127.0.0.1', { 'x-forwarded-proto': 'https, http' }).isHttps).toBe(false);
    expect(addressOf([], '127.0.0.1', {}, true).isHttps).toBe(true);
  });

  test('of an IPv6 network counts as one for limits', () => {
    expect(addressOf([], '2001:db8:1:2:3:4:5:6').limitKey).toBe(addressOf([], '2001:db8:1:2::9').limitKey);
    expect(addressOf([], '2001:db8:1:3::9').limitKey).not.toBe(addressOf([], '2001:db8:1:2::9').limitKey);
    expect(addressOf([], '203.0.113.5').limitKey).toBe('203.0.113.5');
  });

  test('an unreadable list of proxies stops the start', () => {
    expect(() => createClientAddress(['10.0.0.0/8', 'proxy.local'])).toThrow('proxy.local');
  });
});

describe('IP lists', () => {
  test('hold addresses and ranges of both families, one entry a line or separated by commas', () => {
    const { matcher, invalid } = parseIpList('10.0.0.0/8\r\n 203.0.113.5,\n2001:db8::/32, ::ffff:192.0.2.9');
    expect(invalid).toEqual([]);
    const inside = ['10.255.0.1', '::ffff:10.0.0.1', '203.0.113.5', '2001:db8:5::1', '192.0.2.9'];
    const outside = ['11.0.0.1', '203.0.113.6', '2001:db9::1', '', 'nonsense', '1'];
    expect(inside.map((ip) => matcher?.matches(ip))).toEqual(inside.map(() => true));
    expect(outside.map((ip) => matcher?.matches(ip))).toEqual(outside.map(() => false));
  });

  test('name what is no address, and an empty list is no limit', () => {
    expect(parseIpList('10.0.0.0/33 x 1.2.3 1.2.3.4/ 0x7f.0.0.1 ::1/129').invalid).toHaveLength(6);
    expect(parseIpList(' \n , ').matcher).toBeUndefined();
    // What was meant as a limit is none that everybody passes.
    expect(parseIpList('office').matcher?.matches('10.0.0.1')).toBe(false);
  });
});
