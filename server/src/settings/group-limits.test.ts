import { expect, test } from 'vitest';
import { groupLimits } from './group-limits.ts';
import { OptionRefused } from './kinds.ts';

test('limits of groups are kept as they were written', () => {
  const text = '{"default":{"rpm":60,"tpm":0},"vip":{"quota_day":500000,"concurrency":3},"free":{}}';
  expect(groupLimits().write(groupLimits().read(text))).toBe(text);
});

test.each([
  ['{"default":{"rpm":"60"}}', 'default: rpm'],
  ['{"default":{"rpm":60,"quota_day":-1}}', 'default: quota_day'],
  ['{"vip":{"rpm":60},"default":{"rpm":60.5}}', 'default: rpm'],
  ['{"default":{"RPM":60}}', 'default: RPM'],
  ['{"default":{"rpm":null}}', 'default: rpm'],
  ['{"default":60}', 'default: '],
  ['{"default":[]}', 'default: '],
])('a limit that would not hold is refused by its name: %s', (text, names) => {
  expect(() => groupLimits().read(text)).toThrow(`option_invalid GroupLimits: ${names}`);
  expect(() => groupLimits().read(text)).toThrow(OptionRefused);
});
