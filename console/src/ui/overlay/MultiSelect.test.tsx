import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { Field } from '../Field.tsx';
import { MultiSelect } from './MultiSelect.tsx';

const thousands = Array.from({ length: 5000 }, (_, at) => `model-${at}`);
let chosen: readonly string[] = [];

function Form({ value, options }: { value: readonly string[]; options: readonly string[] }) {
  const [now, setNow] = useState(value);
  chosen = now;
  return (
    <Field label="模型">{(control) => <MultiSelect control={control} options={options} value={now} onChange={setNow} />}</Field>
  );
}

const chips = () => screen.getAllByRole('button', { name: /^移除 / }).map((chip) => chip.getAttribute('aria-label')?.slice(3));

describe('a choice of several', () => {
  it('draws the last of thousands of values, and more when asked', async () => {
    render(<Form value={thousands} options={[]} />);
    expect(chips()).toEqual(thousands.slice(-100));
    await userEvent.click(screen.getByRole('button', { name: '之前的 4,900 个' }));
    expect(chips()).toEqual(thousands.slice(-200));
    expect(screen.getByRole('button', { name: '之前的 4,800 个' })).toBeTruthy();
  });

  it('changes thousands of values by the one that is meant, and keeps the order of the others', async () => {
    render(<Form value={thousands} options={['new one', ...thousands]} />);
    const press = async (name: string) => {
      await userEvent.clear(screen.getByRole('combobox', { name: '模型' }));
      await userEvent.paste(name);
      await userEvent.keyboard('{Enter}');
    };
    await press('new one');
    expect(chosen).toEqual([...thousands, 'new one']);
    expect(chips().at(-1)).toBe('new one');
    await userEvent.clear(screen.getByRole('combobox', { name: '模型' }));
    await userEvent.keyboard('{Backspace}');
    expect(chosen).toEqual(thousands);
    await userEvent.click(screen.getByRole('button', { name: '移除 model-4950' }));
    expect(chosen).toEqual(thousands.filter((name) => name !== 'model-4950'));
    // One without a chip is found by its name, and taken away by another press.
    await press('model-4321');
    expect(chosen).toEqual(thousands.filter((name) => name !== 'model-4950' && name !== 'model-4321'));
  });

  it('says that its list goes on', async () => {
    render(<Form value={[]} options={thousands} />);
    await userEvent.click(screen.getByRole('combobox', { name: '模型' }));
    expect(await screen.findAllByRole('option')).toHaveLength(100);
    expect(screen.getByText('最多列出 100 个，请输入以查找其余')).toBeTruthy();
  });

  it('finds a name whatever joins its words', async () => {
    render(<Form value={[]} options={[...thousands, 'gpt-4o-mini', 'claude-3-5-haiku']} />);
    const field = screen.getByRole('combobox', { name: '模型' });
    await userEvent.click(field);
    for (const [typed, name] of [
      ['GPT4o', 'gpt-4o-mini'],
      ['claude 3.5', 'claude-3-5-haiku'],
    ] as const) {
      await userEvent.clear(field);
      await userEvent.paste(typed);
      await waitFor(() => expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([name]));
    }
  });

  it('walks over the chips that are drawn by the arrow keys, and removes the one it stands on', async () => {
    render(<Form value={['a', 'b', 'c']} options={[]} />);
    await userEvent.click(screen.getByRole('combobox', { name: '模型' }));
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}{Delete}');
    expect(chosen).toEqual(['a', 'c']);
  });
});
