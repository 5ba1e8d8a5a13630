import { expect, test } from 'vitest';
import { faultIn, faultText, ImportFault } from './faults.ts';

test('a fault is told in both languages, and as what other programs can tell on', () => {
  const fault = new ImportFault('unreadable_file', { file: '/a/b.db', reason: 'file is not a database' });
  expect(fault.message).toBe('/a/b.db cannot be read as a SQLite database: file is not a database');
  const told = faultIn(JSON.parse(JSON.stringify(fault.told)));
  expect(told).toEqual(fault.told);
  expect(told && faultText(told, 'zh')).toBe('/a/b.db 无法作为 SQLite 数据库读取：file is not a database');
});

test.each([undefined, null, 'cut_off', {}, { code: 'cut_off' }, { code: 'toString', values: {} }, { code: 1, values: {} }])(
  'what is no fault of ours is none: %j',
  (value) => {
    expect(faultIn(value)).toBeUndefined();
  },
);
