import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { writeJson } from '../../lib/storage.ts';
import { type Column, widthsKey } from './columns.ts';
import { Skeletons } from './placeholders.tsx';

const columns: Column<{ id: number }>[] = [
  { id: 'name', header: () => 'Name', cell: () => 'name' },
  { id: 'cost', header: () => 'Cost', end: true, cell: () => '1' },
];
const heads = (options: object) => {
  const { container } = render(<Skeletons label="rows" columns={columns} options={options} size={2} phone={false} />);
  return [...container.querySelectorAll('th')].map(({ colSpan, className, style }) => [colSpan, className, style.width]);
};

it('rows that are read stand where they will be: beside what opens or selects them, as wide as they were the last time', () => {
  expect(heads({})).toEqual([
    [1, '', ''],
    [1, 'end', ''],
  ]);
  writeJson(widthsKey('rows'), [32, 120, 60]);
  expect(heads({ detail: () => null })).toEqual([
    [1, '', '32px'],
    [1, '', '120px'],
    [1, 'end', '60px'],
  ]);
  // Of other columns.
  expect(heads({})).toEqual([
    [1, '', ''],
    [1, 'end', ''],
  ]);
});
