import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { SearchField } from './SearchField.tsx';

it('a filter for a number takes nothing else, so that nothing looks set that is not', async () => {
  const commit = vi.fn();
  render(<SearchField label="Channel id" value="" digits onCommit={commit} />);
  const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Channel id' });
  await userEvent.type(field, '0openai00{Enter}');
  expect([field.value, commit.mock.calls]).toEqual(['', []]);
  await userEvent.type(field, '#12{Enter}');
  expect([field.value, commit.mock.calls]).toEqual(['12', [['12']]]);
});

it('keeps what is typed while the address follows, and shows what it says once it moves by itself', async () => {
  const commit = vi.fn();
  const at = (value: string) => <SearchField label="Name" value={value} onCommit={commit} />;
  const { rerender } = render(at(''));
  const field = screen.getByRole<HTMLInputElement>('searchbox', { name: 'Name' });
  await userEvent.type(field, 'ab{Enter}c');
  rerender(at('ab'));
  expect(field.value).toBe('abc');
  await waitFor(() => expect(commit.mock.calls).toEqual([['ab'], ['abc']]));
  rerender(at('abc'));
  rerender(at(''));
  expect(field.value).toBe('');
  rerender(at('ab'));
  expect(field.value).toBe('ab');
});
