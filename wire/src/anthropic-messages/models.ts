/** What a model takes, told from its name: the dialect refuses what an older or newer generation does not know. */
export interface ModelTraits {
  /** How thinking is asked for: only by a budget, by a budget or not, only adaptive. */
  readonly thinking: 'budget' | 'either' | 'adaptive';
  /** May be sampled by temperature and top_p, by one of them, or not at all. */
  readonly sampling: 'both' | 'one' | 'none';
  /** Knows strict tools and output formats. */
  readonly structured: boolean;
  /** May be told not to think. */
  readonly rests: boolean;
  /** A call may be demanded of it. */
  readonly obeys: boolean;
  /** Goes on with an answer that was begun for it. */
  readonly continues: boolean;
}

/** `claude-3-5-haiku-20241022`, `claude-opus-4-20250514`, `claude-4.7-opus`, also inside longer names. */
const generation = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

const permissive: ModelTraits = {
  thinking: 'either',
  sampling: 'both',
  structured: true,
  rests: true,
  obeys: true,
  continues: true,
};
/** Families that think always; one without a number is taken for a late one. */
const thinkers = /claude-(?:fable|mythos)/;
const lateThinker = 501;

/** The traits of a model by the public release notes; a name that tells no generation gets the most permissive ones. */
export function traitsOf(model: string): ModelTraits {
  const name = model.toLowerCase();
  const found = generation.exec(name);
  const isThinker = thinkers.test(name);
  if (found === null && !isThinker) return permissive;
  const version = found === null ? lateThinker : Number(found[1]) * 100 + Number(found[2] ?? 0);
  const isSmall = name.includes('haiku');
  return {
    thinking: version < 406 ? 'budget' : version === 406 ? 'either' : 'adaptive',
    sampling: version < 401 ? 'both' : version <= 406 ? 'one' : 'none',
    structured: version >= 401,
    rests: !isThinker && (isSmall || version < 505),
    obeys: isSmall || version < (isThinker ? lateThinker : 505),
    continues: version < 406,
  };
}
