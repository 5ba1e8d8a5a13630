import { channelTypes } from '@tollgate/contract';
import { plannedModels } from './planned-models.ts';
import type { Provider } from './provider.ts';

interface Line {
  name: string;
  extra?: Partial<Provider>;
}

/** Channel types that can be stored, listed and asked for models although the relay does not speak them yet. */
const lines: Readonly<Record<number, Line>> = {
  2: { name: 'midjourney', extra: { untestable: 'midjourney channel test is not supported' } },
  5: { name: 'midjourney', extra: { untestable: 'midjourney plus channel test is not supported!!!' } },
  36: { name: 'suno', extra: { untestable: 'suno channel test is not supported' } },
};

const baseUrls = new Map(channelTypes.map(({ type, baseUrl }) => [type, baseUrl]));

/** What `plannedProviders` says of a type until a protocol's own table takes the line over. */
export const plannedProviders: readonly Provider[] = Object.entries(lines).map(([type, line]) => ({
  type: Number(type),
  name: line.name,
  baseUrl: baseUrls.get(Number(type)) ?? '',
  paths: {},
  planned: true,
  streamUsage: false,
  models: plannedModels[Number(type)] ?? [],
  ...line.extra,
}));
