import { type ClaudeTraits, claudeTraitsOf } from '../../anthropic-messages/request/model.ts';

/** What the models of one vendor support beyond the common features. A new vendor is a new row. */
export interface Family {
  readonly traits: ClaudeTraits;
  readonly isClaude: boolean;
  /** True for models that are known to be of another vendor than Anthropic: they reject its signed thinking in earlier turns. */
  readonly rejectsThinking?: true;
  /** Path of `top_k` in the model's own fields. If undefined, the model has no such parameter. */
  readonly topK?: readonly string[];
  /** True if the models support cache points. */
  readonly caches: boolean;
  /** False if the models can be forced to call a tool, but not which one (Bedrock API, "ToolChoice"). */
  readonly choosesTool?: false;
  /** The model's own field for the reasoning effort. */
  readonly effort?: 'reasoning_effort' | 'reasoningConfig';
}

/** Models without the thinking settings of the messages API. */
const plain: ClaudeTraits = {
  thinking: 'none',
  sampling: 'all',
  rejectedThinkingTypes: [],
  rejectsForcedTool: false,
  structured: false,
};

/** Vendors of open weights that support structured outputs (Bedrock User Guide, "Structured outputs"). */
const structured: ClaudeTraits = { ...plain, structured: true };
/** Vendors whose models cannot be forced to call a tool (Bedrock API, "ToolChoice"). */
const free: ClaudeTraits = { ...plain, rejectsForcedTool: true };

/** Amazon's models that accept a reasoning effort: Nova from the second generation on. */
const reasoningNova = /^amazon\.nova-(?:[2-9]|\d{2,})\b/;

const families: Readonly<Record<string, Omit<Family, 'isClaude' | 'rejectsThinking'>>> = {
  amazon: { traits: plain, topK: ['inferenceConfig', 'topK'], caches: true, effort: 'reasoningConfig' },
  openai: { traits: structured, caches: false, effort: 'reasoning_effort' },
  qwen: { traits: structured, topK: ['top_k'], caches: false },
  moonshot: { traits: structured, caches: false },
  moonshotai: { traits: structured, caches: false },
  minimax: { traits: structured, caches: false },
  nvidia: { traits: structured, caches: false },
  google: { traits: structured, topK: ['top_k'], caches: false },
  mistral: { traits: plain, topK: ['top_k'], caches: false, choosesTool: false },
  cohere: { traits: free, topK: ['k'], caches: false },
  meta: { traits: free, caches: false },
  ai21: { traits: free, caches: false },
  deepseek: { traits: free, caches: false },
};

/** Unknown vendor: everything the client requests is sent, in the most common form. */
const unknown: Family = { traits: plain, isClaude: false, topK: ['top_k'], caches: true };

/** Prefixes of inference profiles across regions (Bedrock User Guide, "Inference profiles"). */
const acrossRegions = /^(?:global|us|eu|apac|jp|au|ca|sa|us-gov)\./;

/**
 * Returns the vendor's own id of a model, without an inference profile prefix, and extracted from an ARN. '' if the ARN contains
 * no model.
 */
export function bareModel(id: string): string {
  const named = id.startsWith('arn:') ? (/:(?:foundation-model|inference-profile)\/(.+)$/.exec(id)?.[1] ?? '') : id;
  return named.replace(acrossRegions, '');
}

/** @param id Bedrock's model id, or the id of the model behind an application inference profile */
export function familyOf(id: string): Family {
  const bare = bareModel(id);
  const vendor = bare.slice(0, Math.max(0, bare.indexOf('.')));
  if (vendor === 'anthropic' || bare.startsWith('claude-'))
    return { traits: claudeTraitsOf(bare), isClaude: true, topK: ['top_k'], caches: true };
  const row = Object.hasOwn(families, vendor) ? families[vendor] : undefined;
  if (row === undefined) return unknown;
  const { effort, ...rest } = row;
  const hasEffort = effort !== undefined && (vendor !== 'amazon' || reasoningNova.test(bare));
  return { ...rest, ...(hasEffort ? { effort } : {}), isClaude: false, rejectsThinking: true };
}
