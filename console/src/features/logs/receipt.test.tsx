import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { common, root } from '../../../test/fixtures.ts';
import { type MockOptions, ok, refuse } from '../../../test/mock-api.ts';
import { receipt } from '../../../test/prices.ts';
import { renderApp } from '../../../test/render.tsx';
import { grouped, sumOf, tierText, weightOf } from './receipt.ts';

type Override = NonNullable<MockOptions['override']>;
const answering =
  (answer: ReturnType<Override>): Override =>
  ({ method, path }) =>
    method === 'GET' && /^\/api\/log\/\d+\/receipt$/.test(path) ? answer : undefined;

async function explain(override: Override) {
  const { user } = renderApp('/log?type=2', { signedIn: common, override });
  const [open] = await screen.findAllByRole('button', { name: '详情' });
  if (open) await user.click(open);
  await user.click(await screen.findByRole('button', { name: '解释这笔费用' }));
}

describe('the arithmetic of a receipt', () => {
  it('loses no digit', () => {
    expect(weightOf({ part: 'cached', amount: '400', ratio: '0.1' })).toBe('40');
    expect(weightOf({ part: 'prompt', amount: '9007199254740991', ratio: '0.000000001' })).toBe('9007199.254740991');
    expect(sumOf(receipt.lines)).toBe('2804');
    expect(sumOf([])).toBe('0');
    expect(['0', '999', '-1000', '9007199.254740991'].map(grouped)).toEqual(['0', '999', '-1,000', '9,007,199.254740991']);
  });
});

describe('explaining a charge', () => {
  it('writes out every step from the counts to what was collected', async () => {
    await explain(answering(ok(receipt)));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('600 + 200 + 2,004 = 2,804');
    expect(shown.textContent).toContain('2,804 × 1.25 × 0.9 = 3,154.5');
    expect(shown.textContent).toContain('3,154.5 → 3,155 四舍五入一次');
    expect(shown.textContent).toContain('$0.006310 (3,155 点额度)');
    expect(shown.textContent).toContain('签名有效，重新计算一致');
    // On a phone it is wider than its place.
    expect(screen.getByRole('table', { name: '这笔费用的计算过程' }).parentElement?.tabIndex).toBe(0);
  });

  it('multiplies by what the backup pool costs, and says so', async () => {
    await explain(answering(ok({ ...receipt, surcharge: '1.5', exact: '4731.75' })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('2,804 × 1.25 × 0.9 × 1.5 = 4,731.75');
    expect(shown.textContent).toContain('突发备用号池，倍率 1.5');
  });

  it('multiplies by what the way that the call was served costs, and names it', async () => {
    await explain(answering(ok({ ...receipt, service_tier: 'priority', service_tier_ratio: '2', exact: '6309' })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('2,804 × 1.25 × 0.9 × 2 = 6,309');
    expect(shown.textContent).toContain(' · priority × 2');
  });

  it('adds what tools of the upstream cost, each with its uses and its price', async () => {
    const tools = [
      { tool: 'file_search', uses: 1, price: '2.5' },
      { tool: 'web_search', uses: 3, price: '10' },
    ];
    await explain(answering(ok({ ...receipt, tools, surcharge: '1.5', exact: '26669.25' })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    const each = '/ 1000 × 500,000 × 0.9 × 1.5';
    expect(shown.textContent).toContain(
      `2,804 × 1.25 × 0.9 × 1.5 + file_search 1 × $2.5 ${each} + web_search 3 × $10 ${each} = 26,669.25`,
    );
  });

  it('counts seconds where the price is for a second', async () => {
    const lines = [{ part: 'calls', amount: '12', ratio: '1' }];
    const film = { kind: 'call', lines, call_price: '0.1', model_ratio: '', per_second: true, group_ratio: '1' };
    await explain(answering(ok({ ...receipt, ...film, exact: '600000', rounding: 'none', cost: 600_000, collected: 600_000 })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('秒数12');
    expect(shown.textContent).not.toContain('次数');
  });

  it('says how many pictures came where that is fewer than were asked for', async () => {
    await explain(answering(ok({ ...receipt, pictures_asked: 4, pictures_delivered: 2 })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('请求 4 张图片，交付 2 张，按交付的张数收费');
  });

  it('names the tier of long prompts, whose price is the dearest', async () => {
    await explain(answering(ok({ ...receipt, tier_above: 128_000 })));
    const tier = '适用提示超过 128,000 tokens 的阶梯价';
    expect((await screen.findByRole('region', { name: '这笔费用的计算过程' })).textContent).toContain(tier);
    expect(screen.getByText(`阶梯价格：${tier}`)).toBeTruthy();
    expect(tierText({ tier_up_to: 200_000, tier_above: 128_000 })).toBe('适用提示超过 128,000、不超过 200,000 tokens 的阶梯价');
    expect(tierText({ tier_up_to: 0 })).toBe('');
  });

  it('says what a fixed price is multiplied by where that is not one call', async () => {
    const lines = [{ part: 'calls', amount: '2.25', ratio: '1' }];
    await explain(answering(ok({ ...receipt, kind: 'call', lines, call_price: '0.04', model_ratio: '' })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('份数（数量 × 大小 × 品质）2.25');
  });

  it('says that a receipt was changed, and what was not collected', async () => {
    await explain(answering(ok({ ...receipt, state: 'forged', collected: 3000, shortfall: 155 })));
    await screen.findByText('签名不符：收据被改动过');
    screen.getByText('未收足');
  });

  it('says what was given back, and what is left of the charge', async () => {
    await explain(answering(ok({ ...receipt, refunded: 155 })));
    const shown = await screen.findByRole('region', { name: '这笔费用的计算过程' });
    expect(shown.textContent).toContain('已退还$0.000310 (155 点额度)');
    await screen.findByText('实际扣费 $0.006000（3,000 点额度）');
    expect(screen.queryByRole('button', { name: '退还费用' })).toBeNull();
  });

  it('says that there is none', async () => {
    await explain(answering(refuse('没有这个请求的记录', 404)));
    await screen.findByText('这一行没有收据');
  });
});

describe('giving a charge back', () => {
  it('sends what it shall be in all, with a reason; nothing when nothing is left', async () => {
    let refunded = 155;
    const app = renderApp('/log?type=2', {
      signedIn: root,
      override: ({ method, path, body }) => {
        if (method === 'POST' && path.endsWith('/refund')) refunded = (body as { refunded: number }).refunded;
        return answering(ok({ ...receipt, refunded }))({ method, path, query: {}, body });
      },
    });
    const { user } = app;
    const [open] = await screen.findAllByRole('button', { name: '详情' });
    if (open) await user.click(open);
    await user.click(await screen.findByRole('button', { name: '退还费用' }));
    const dialog = within(await screen.findByRole('dialog'));
    const amount = dialog.getByRole<HTMLInputElement>('textbox', { name: /本次退还/ });
    expect(amount.value).toBe('0.006');
    const give = async (text: string, reason: string) => {
      await user.clear(amount);
      await user.type(amount, text);
      await user.type(dialog.getByRole('textbox', { name: /退还原因/ }), reason);
      await user.click(dialog.getByRole('button', { name: '退还费用' }));
    };
    await give('0.0061', 'x');
    await dialog.findByText('请填写大于 0、不超过 $0.006000 的金额');
    await give('0.006', ' broken answers');
    await screen.findByText('已退还 $0.006000');
    await screen.findByText('已退还 $0.006310');
    const sent = app.calls.filter(({ method }) => method === 'POST').at(-1);
    expect([sent?.path, sent?.body]).toEqual([
      expect.stringMatching(/^\/api\/log\/\d+\/refund$/),
      { refunded: receipt.collected, reason: 'x broken answers' },
    ]);
    await waitFor(() => expect(screen.queryByRole('button', { name: '退还费用' })).toBeNull());
  });
});
