import { describe, expect, it, vi } from 'vitest';
import { filesOf, judge } from './budget.mjs';

const manifest = {
  'index.html': { file: 'index.js', imports: ['vendor'], dynamicImports: ['src/features/auth/LoginPage.tsx'] },
  vendor: { file: 'vendor.js' },
  'src/features/auth/LoginPage.tsx': { file: 'login.js', imports: ['index.html', 'shared'] },
  shared: { file: 'shared.js', imports: ['shared'] },
};

describe('the budget', () => {
  it('counts every file that a page brings along once, cycles included, and none that loads later', () => {
    expect([...filesOf(manifest, 'index.html')]).toEqual(['index.js', 'vendor.js']);
    expect([...filesOf(manifest, 'src/features/auth/LoginPage.tsx')].sort()).toEqual([
      'index.js',
      'login.js',
      'shared.js',
      'vendor.js',
    ]);
  });

  it('fails for a page above its sum and for a page that is gone', () => {
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    const { faults } = judge(manifest, () => 33_000);
    expect(faults).toContain('login: 132.0 KB, at most 130');
    expect(faults.some((fault: string) => fault.startsWith('channels: src/features/channels/ChannelsPage.tsx is not'))).toBe(
      true,
    );
  });
});
