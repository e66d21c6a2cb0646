/** The features that a model supports. A new model is a new row. */
export interface ClaudeTraits {
  /** How thinking is controlled: not supported, by a token budget, or adaptive with an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Which of temperature, top_p and top_k are accepted: all, either temperature or top_p, or none. */
  readonly sampling: 'all' | 'one' | 'none';
  /** Values of `thinking.type` that are rejected. */
  readonly rejectedThinkingTypes: readonly ('enabled' | 'disabled')[];
  /** True if `tool_choice` any and tool are rejected. */
  readonly rejectsForcedTool: boolean;
  /** True if structured outputs are supported (`output_config.format`). */
  readonly structured: boolean;
}

interface Row {
  readonly families: readonly string[];
  /** The first version that the row applies to, and the first version after it. */
  readonly from: number;
  readonly below?: number;
  readonly traits: Partial<ClaudeTraits>;
}

const all = ['opus', 'sonnet', 'haiku', 'fable', ''];

/** Later rows override earlier ones. */
const rows: readonly Row[] = [
  { families: all, from: 0, below: 4.5, traits: { structured: false } },
  { families: all, from: 0, below: 3.7, traits: { thinking: 'none' } },
  { families: all, from: 3.7, below: 4.6, traits: { thinking: 'budget' } },
  { families: all, from: 4.5, below: 4.6, traits: { sampling: 'one' } },
  { families: ['opus'], from: 4.7, traits: { sampling: 'none' } },
  { families: all, from: 5, traits: { sampling: 'none' } },
  { families: ['opus', 'sonnet', 'haiku'], from: 5.5, traits: { rejectedThinkingTypes: ['enabled'] } },
  { families: ['opus', 'sonnet'], from: 5.5, traits: { rejectedThinkingTypes: ['enabled', 'disabled'], rejectsForcedTool: true } },
  { families: ['fable'], from: 5, traits: { rejectedThinkingTypes: ['enabled', 'disabled'] } },
  { families: ['fable'], from: 5.1, traits: { rejectsForcedTool: true } },
];

/** Traits of unknown names: what the newest models have in common, without restrictions. */
const unknownTraits: ClaudeTraits = Object.freeze({
  thinking: 'adaptive',
  sampling: 'all',
  rejectedThinkingTypes: [],
  rejectsForcedTool: false,
  structured: true,
});

/** `claude-opus-4-5-20251101`, `claude-haiku-4-5@20251001`, and the older `claude-3-5-sonnet-20240620`, `claude-2.1`. */
const currentName = /claude-(opus|sonnet|haiku|fable)-(\d{1,2})(?:[-.](\d)(?!\d))?/;
const legacyName = /claude-(?:instant-)?(\d)(?:[-.](\d)(?!\d))?(?:-(opus|sonnet|haiku))?/;

/** Returns the traits of a model by its name. */
export function claudeTraitsOf(model: string): ClaudeTraits {
  const found = currentName.exec(model);
  if (found !== null) return traitsAt(found[1] ?? '', versionOf(found[2], found[3]));
  const old = legacyName.exec(model);
  return old === null ? unknownTraits : traitsAt(old[3] ?? '', versionOf(old[1], old[2]));
}

function traitsAt(family: string, version: number): ClaudeTraits {
  let traits = unknownTraits;
  for (const row of rows) {
    const { from, below = Number.POSITIVE_INFINITY } = row;
    if (version >= from && version < below && row.families.includes(family)) traits = { ...traits, ...row.traits };
  }
  return traits;
}

const versionOf = (major = '0', minor = '0'): number => Number(`${major}.${minor}`);
