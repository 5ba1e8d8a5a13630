import { describe, expect, it } from 'vitest';
import { invalidAddresses, isAddressOrRange } from './ip.ts';

describe('the whitelist', () => {
  it('takes addresses and ranges of both families', () => {
    for (const text of [
      '203.0.113.7',
      '198.51.100.0/24',
      '0.0.0.0/0',
      '::1',
      '2001:db8::/32',
      'fe80::1:2',
      '::ffff:192.0.2.1',
      '1:2:3:4:5:6:7:8',
    ]) {
      expect(isAddressOrRange(text), text).toBe(true);
    }
  });

  it('refuses what only looks like one', () => {
    for (const text of [
      '256.1.1.1',
      '1.2.3',
      '01.2.3.4',
      '1.2.3.4/33',
      '1.2.3.4/',
      '::/129',
      '1::2::3',
      ':::',
      '12345::',
      '1:2:3:4:5:6:7',
      'example.com',
      '1.2.3.4/8/8',
    ]) {
      expect(isAddressOrRange(text), text).toBe(false);
    }
  });

  it('names the entries that are wrong', () => {
    expect(invalidAddresses('203.0.113.7\n10.0.0.0/8, nope\n\n 300.1.1.1')).toEqual(['nope', '300.1.1.1']);
    expect(invalidAddresses('')).toEqual([]);
  });
});
