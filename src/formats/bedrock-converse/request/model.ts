import { type ModelTraits, traitsOf } from '../../anthropic-messages/request/model.ts';

/** What models of one vendor take beside what all of them do. Rows are data: a new vendor is a new row. */
export interface Family {
  readonly traits: ModelTraits;
  readonly isClaude: boolean;
  /** Where `top_k` is in the model's own fields; undefined: it takes none. */
  readonly topK?: readonly string[];
  /** Takes marks for its cache. */
  readonly caches: boolean;
  /** Under which field of the model's own it is told how much to think. */
  readonly effort?: 'reasoning_effort' | 'reasoningConfig';
}

/** Models that think, or not, without being told. */
const plain: ModelTraits = {
  thinking: 'none',
  sampling: 'all',
  refusesThinking: [],
  refusesForcedTool: false,
  structured: false,
};

/** Bedrock User Guide, "Structured outputs": the vendors of open weights that have them. */
const structured: ModelTraits = { ...plain, structured: true };
/** Bedrock API, "ToolChoice": only some vendors can be told to call a tool. */
const free: ModelTraits = { ...plain, refusesForcedTool: true };

const families: Readonly<Record<string, Omit<Family, 'isClaude'>>> = {
  amazon: { traits: plain, topK: ['inferenceConfig', 'topK'], caches: true, effort: 'reasoningConfig' },
  openai: { traits: structured, caches: false, effort: 'reasoning_effort' },
  qwen: { traits: structured, topK: ['top_k'], caches: false },
  moonshot: { traits: structured, caches: false },
  moonshotai: { traits: structured, caches: false },
  minimax: { traits: structured, caches: false },
  nvidia: { traits: structured, caches: false },
  google: { traits: structured, topK: ['top_k'], caches: false },
  mistral: { traits: plain, topK: ['top_k'], caches: false },
  cohere: { traits: free, topK: ['k'], caches: false },
  meta: { traits: free, caches: false },
  ai21: { traits: free, caches: false },
  deepseek: { traits: free, caches: false },
};

/** Nothing is known of it: what the client asks for goes out in the widest spelling. */
const unknown: Family = { traits: plain, isClaude: false, topK: ['top_k'], caches: true };

/** Prefixes of inference profiles that serve from several regions (Bedrock User Guide, "Inference profiles"). */
const acrossRegions = /^(?:global|us|eu|apac|jp|au|ca|sa|us-gov)\./;

/** The vendor's own id of a model: without the profile before it, and out of an ARN that names one. '' where it names none. */
export function bareModel(id: string): string {
  const named = id.startsWith('arn:') ? (/:(?:foundation-model|inference-profile)\/(.+)$/.exec(id)?.[1] ?? '') : id;
  return named.replace(acrossRegions, '');
}

/** @param id what Bedrock calls the model, or the model behind an application's profile */
export function familyOf(id: string): Family {
  const bare = bareModel(id);
  const vendor = bare.slice(0, Math.max(0, bare.indexOf('.')));
  if (vendor === 'anthropic' || bare.startsWith('claude-'))
    return { traits: traitsOf(bare), isClaude: true, topK: ['top_k'], caches: true };
  const row = Object.hasOwn(families, vendor) ? families[vendor] : undefined;
  return row === undefined ? unknown : { ...row, isClaude: false };
}
