import { chinaProviders } from './china.ts';
import { compatibleProviders } from './compatible.ts';
import { globalProviders } from './global.ts';
import type { Provider } from './provider.ts';
import { taskProviders } from './tasks/providers.ts';

/** The explicit list of everything a channel can be. */
export const providers: readonly Provider[] = [...compatibleProviders, ...globalProviders, ...chinaProviders, ...taskProviders];

const byType = new Map(providers.map((provider) => [provider.type, provider]));

export function providerOf(type: number): Provider | undefined {
  return byType.get(type);
}

/** Suggested models per channel type, for GET /api/models. */
export function modelsByType(): Record<string, string[]> {
  return Object.fromEntries(providers.map(({ type, models }) => [String(type), [...models]]));
}

/** `owned_by` of a model name; `custom` when no provider suggests it. */
export function ownerOf(model: string): string {
  return owners.get(model) ?? 'custom';
}

const owners = new Map<string, string>();
for (const { name, models } of providers) for (const model of models) if (!owners.has(model)) owners.set(model, name);
