/** What a model of this family takes. Rows are data: a new model is a new row. */
export interface ModelTraits {
  /** How it is told to think: not at all, by a budget of tokens, or by itself with an effort. */
  readonly thinking: 'none' | 'budget' | 'adaptive';
  /** Of temperature, top_p and top_k: all, temperature or top_p, or none is accepted. */
  readonly sampling: 'all' | 'one' | 'none';
  /** Values of `thinking.type` that are refused. */
  readonly refusesThinking: readonly ('enabled' | 'disabled')[];
  /** `tool_choice` any and tool are refused. */
  readonly refusesForcedTool: boolean;
  /** Has structured outputs (`output_config.format`). */
  readonly structured: boolean;
}

interface Row extends Partial<ModelTraits> {
  readonly families: readonly string[];
  /** First version it holds for, and the first it doesn't. */
  readonly from: number;
  readonly below?: number;
}

const all = ['opus', 'sonnet', 'haiku', 'fable', ''];

/** Later rows win. */
const rows: readonly Row[] = [
  { families: all, from: 0, below: 4.5, structured: false },
  { families: all, from: 0, below: 3.7, thinking: 'none' },
  { families: all, from: 3.7, below: 4.6, thinking: 'budget' },
  { families: all, from: 4.5, below: 4.6, sampling: 'one' },
  { families: ['opus'], from: 4.7, sampling: 'none' },
  { families: all, from: 5, sampling: 'none' },
  { families: ['opus', 'sonnet', 'haiku'], from: 5.5, refusesThinking: ['enabled'] },
  { families: ['opus', 'sonnet'], from: 5.5, refusesThinking: ['enabled', 'disabled'], refusesForcedTool: true },
  { families: ['fable'], from: 5, refusesThinking: ['enabled', 'disabled'] },
  { families: ['fable'], from: 5.1, refusesForcedTool: true },
];

/** For names that say nothing: what the newest models have in common, with nothing held back. */
const unknown: ModelTraits = Object.freeze({
  thinking: 'adaptive',
  sampling: 'all',
  refusesThinking: [],
  refusesForcedTool: false,
  structured: true,
});

/** `claude-opus-4-5-20251101`, `claude-haiku-4-5@20251001`, and the older `claude-3-5-sonnet-20240620`, `claude-2.1`. */
const newer = /claude-(opus|sonnet|haiku|fable)-(\d{1,2})(?:[-.](\d)(?!\d))?/;
const older = /claude-(?:instant-)?(\d)(?:[-.](\d)(?!\d))?(?:-(opus|sonnet|haiku))?/;

/** Traits of a model by its name. */
export function traitsOf(model: string): ModelTraits {
  const found = newer.exec(model);
  if (found !== null) return traitsAt(found[1] ?? '', versionOf(found[2], found[3]));
  const old = older.exec(model);
  return old === null ? unknown : traitsAt(old[3] ?? '', versionOf(old[1], old[2]));
}

function traitsAt(family: string, version: number): ModelTraits {
  let traits = unknown;
  for (const { families, from, below, ...row } of rows) {
    if (families.includes(family) && version >= from && version < (below ?? Number.POSITIVE_INFINITY)) traits = { ...traits, ...row };
  }
  return traits;
}

const versionOf = (major = '0', minor = '0'): number => Number(`${major}.${minor}`);
