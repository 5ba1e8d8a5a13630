/** Where a model's cross-region profiles exist: prefixes `us`, `eu`, `apac`, `jp`, `au`, `global`. */
interface ModelId {
  readonly id: string;
  readonly profiles: readonly string[];
}

const everywhere = ['us', 'eu', 'apac'];
const newer = ['us', 'eu', 'jp', 'au', 'global'];
const of = (id: string, profiles: readonly string[]): ModelId => ({ id: `anthropic.${id}`, profiles });

/** Contract 6.12, and the generations since. */
const claude: Readonly<Record<string, ModelId>> = {
  'claude-instant-1.2': of('claude-instant-v1', []),
  'claude-2.0': of('claude-v2', []),
  'claude-2.1': of('claude-v2:1', []),
  'claude-3-sonnet-20240229': of('claude-3-sonnet-20240229-v1:0', everywhere),
  'claude-3-opus-20240229': of('claude-3-opus-20240229-v1:0', ['us']),
  'claude-3-haiku-20240307': of('claude-3-haiku-20240307-v1:0', everywhere),
  'claude-3-5-sonnet-20240620': of('claude-3-5-sonnet-20240620-v1:0', everywhere),
  'claude-3-5-sonnet-20241022': of('claude-3-5-sonnet-20241022-v2:0', ['us', 'apac']),
  'claude-3-5-haiku-20241022': of('claude-3-5-haiku-20241022-v1:0', ['us']),
  'claude-3-7-sonnet-20250219': of('claude-3-7-sonnet-20250219-v1:0', ['us', 'eu', 'apac']),
  'claude-sonnet-4-20250514': of('claude-sonnet-4-20250514-v1:0', [...everywhere, 'global']),
  'claude-opus-4-20250514': of('claude-opus-4-20250514-v1:0', ['us']),
  'claude-opus-4-1-20250805': of('claude-opus-4-1-20250805-v1:0', ['us']),
  'claude-sonnet-4-5-20250929': of('claude-sonnet-4-5-20250929-v1:0', newer),
  'claude-haiku-4-5-20251001': of('claude-haiku-4-5-20251001-v1:0', newer),
  'claude-opus-4-5-20251101': of('claude-opus-4-5-20251101-v1:0', newer),
  'claude-opus-4-6': of('claude-opus-4-6-v1', newer),
  'claude-sonnet-4-6': of('claude-sonnet-4-6', newer),
  'claude-opus-4-7': of('claude-opus-4-7', newer),
  'claude-opus-4-8': of('claude-opus-4-8', newer),
  'claude-opus-5': of('claude-opus-5', newer),
  'claude-sonnet-5': of('claude-sonnet-5', newer),
  'claude-fable-5': of('claude-fable-5', newer),
  'claude-fable-5-1': of('claude-fable-5-1', newer),
  'claude-opus-5-5': of('claude-opus-5-5', newer),
  'claude-sonnet-5-5': of('claude-sonnet-5-5', newer),
  'claude-haiku-5-5': of('claude-haiku-5-5', newer),
};

/** By the first part of a region: the prefixes that serve it, best first. */
const prefixes: Readonly<Record<string, readonly string[]>> = {
  us: ['us', 'global'],
  ca: ['us', 'global'],
  eu: ['eu', 'global'],
  ap: ['apac', 'global'],
  sa: ['global'],
  me: ['global'],
  af: ['global'],
};
const ofCountry: Readonly<Record<string, string>> = {
  'ap-northeast-1': 'jp',
  'ap-northeast-3': 'jp',
  'ap-southeast-2': 'au',
  'ap-southeast-4': 'au',
};

/** The service's id of a model in a region, with the prefix of its cross-region profile; other names pass as they are. */
export function bedrockModel(model: string, region: string): string {
  const known = claude[model];
  if (known === undefined) return model;
  const candidates = [ofCountry[region] ?? '', ...(prefixes[region.split('-', 1)[0] ?? ''] ?? [])];
  const prefix = candidates.find((each) => known.profiles.includes(each));
  return prefix === undefined ? known.id : `${prefix}.${known.id}`;
}
