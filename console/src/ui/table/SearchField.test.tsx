import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { SearchField } from './SearchField.tsx';

it('a filter for a number takes nothing else, so that nothing looks set that is not', async () => {
  const commit = vi.fn();
  render(<SearchField label="Channel id" value="" digits onCommit={commit} />);
  const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Channel id' });
  await userEvent.type(field, 'openai{Enter}');
  expect([field.value, commit.mock.calls]).toEqual(['', []]);
  await userEvent.type(field, '#12{Enter}');
  expect([field.value, commit.mock.calls]).toEqual(['12', [['12']]]);
});
