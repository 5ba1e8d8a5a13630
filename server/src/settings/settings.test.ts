import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions, type Options, optionKeys } from './definitions.ts';
import { formatLogQuota, formatQuota } from './format.ts';
import { autoGroupsOf, chargedGroups, describeGroups, mayUseGroup } from './groups.ts';
import { type OptionKind, OptionRefused } from './kinds.ts';
import { buildStatus } from './status.ts';

const kinds = optionKeys.map((key): [string, OptionKind<unknown>] => [key, definitions[key] as OptionKind<unknown>]);

describe.each(kinds)('option %s', (_key, kind) => {
  test('its default survives being stored', () => {
    expect(kind.read(kind.write(kind.fallback))).toEqual(kind.fallback);
  });

  test('any text is either refused or becomes a value that survives being stored', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.double().map(String),
      fc.constantFrom('true', '-1', '1e5', '{"a":-1}', '{"a":{"b":1}}', '0.5'),
    );
    fc.assert(
      fc.property(text, (submitted) => {
        try {
          const value = kind.read(submitted);
          expect(kind.read(kind.write(value))).toEqual(value);
        } catch (error) {
          expect(error).toBeInstanceOf(OptionRefused);
        }
      }),
      { numRuns: 50 },
    );
  });
});

test.each(['{"o3":0}', '{"o3":3601}', '{"o3":1.5}', '{"o3":"60"}'])(
  'a model takes whole seconds to its first byte, an hour at most: %s',
  (text) => {
    const { ModelFirstByteSeconds: kind } = definitions;
    expect(kind.read('{"o3":1,"gpt-image-1":3600}').get('gpt-image-1')).toBe(3600);
    expect(() => kind.read(text)).toThrow('option_invalid o3: 1-3600');
  },
);

describe('groups', () => {
  const options = {
    UserUsableGroups: new Map([
      ['default', 'D'],
      ['vip', 'V'],
      ['old', 'O'],
      ['auto', 'A'],
    ]),
    GroupRatio: new Map([
      ['default', 1],
      ['vip', 2],
      ['inner', 3],
    ]),
    GroupGroupRatio: new Map([['inner', new Map([['vip', 0.5]])]]),
    AutoGroups: ['vip', 'inner', 'default', 'old'],
  };

  test('a user may use the public ones and the own one, as far as they have a ratio', () => {
    const usable = (group: string) => mayUseGroup(options, 'inner', group);
    expect(['', 'default', 'vip', 'inner', 'auto'].map(usable)).toEqual([true, true, true, true, true]);
    expect(usable('old')).toBe(false);
    expect(mayUseGroup(options, 'default', 'inner')).toBe(false);
    expect(mayUseGroup({ ...options, UserUsableGroups: new Map() }, 'default', 'auto')).toBe(false);
  });

  test('are described with the ratio that this very user pays', () => {
    expect(describeGroups(options, 'inner')).toEqual({
      default: { ratio: 1, desc: 'D' },
      vip: { ratio: 0.5, desc: 'V' },
      auto: { ratio: '自动', desc: 'A' },
      inner: { ratio: 3, desc: '用户分组' },
    });
    expect(describeGroups({ ...options, UserUsableGroups: new Map() }, '')).toEqual({ default: { ratio: 1, desc: '默认分组' } });
  });

  test('calls are charged in the own group, too, where it has no ratio: at 1, or at what it pays in itself', () => {
    expect(describeGroups(options, 'lone')).not.toHaveProperty('lone');
    const { lone, old } = chargedGroups(options, 'lone');
    expect([lone, old]).toEqual([{ ratio: 1, desc: '用户分组' }, undefined]);
    const cheaper = { ...options, GroupGroupRatio: new Map([['lone', new Map([['lone', 0.5]])]]) };
    expect(chargedGroups(cheaper, 'lone').lone?.ratio).toBe(0.5);
  });

  test('auto is what new tokens begin with only where users may choose it', () => {
    const defaults = Object.fromEntries(optionKeys.map((key) => [key, definitions[key].fallback])) as unknown as Options;
    const begins = (offered: [string, string][]) =>
      buildStatus({ ...defaults, DefaultUseAutoGroup: true, UserUsableGroups: new Map(offered) }, { version: '1', startTime: 0 })
        .default_use_auto_group;
    expect([begins([['default', 'D']]), begins([['auto', 'A']])]).toEqual([false, true]);
  });

  test('auto walks the listed groups that the user may use, and nothing when it is not offered', () => {
    expect(autoGroupsOf(options, 'default')).toEqual(['vip', 'default']);
    expect(autoGroupsOf(options, 'inner')).toEqual(['vip', 'inner', 'default']);
    expect(autoGroupsOf({ ...options, UserUsableGroups: new Map([['default', 'D']]) }, 'default')).toEqual([]);
  });
});

test('quota is written as money or as plain points', () => {
  const money = { DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 };
  expect(formatQuota(1, money)).toBe('＄0.000002');
  expect(formatLogQuota(750_000, money)).toBe('＄1.500000 额度');
  expect(formatLogQuota(750_000, { ...money, DisplayInCurrencyEnabled: false })).toBe('750000 点额度');
});
