/** What a model takes, told from its name: the dialect refuses what an older or newer generation does not know. */
export interface ModelTraits {
  /** How thinking is asked for: only by a budget, by a budget or not, only adaptive. */
  readonly thinking: 'budget' | 'either' | 'adaptive';
  /** May be sampled by temperature and top_p, by one of them, or not at all. */
  readonly sampling: 'both' | 'one' | 'none';
  /** Knows strict tools and output formats. */
  readonly structured: boolean;
}

/** `claude-3-5-haiku-20241022`, `claude-opus-4-20250514`, `claude-4.7-opus`, also inside longer names. */
const generation = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** The traits of a model by the public release notes; a name that tells no generation gets the most permissive ones. */
export function traitsOf(model: string): ModelTraits {
  const found = generation.exec(model.toLowerCase());
  if (found === null) return { thinking: 'either', sampling: 'both', structured: true };
  const version = Number(found[1]) * 100 + Number(found[2] ?? 0);
  return {
    thinking: version < 406 ? 'budget' : version === 406 ? 'either' : 'adaptive',
    sampling: version < 401 ? 'both' : version <= 406 ? 'one' : 'none',
    structured: version >= 401,
  };
}
