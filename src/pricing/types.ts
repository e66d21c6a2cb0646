/**
 * Types of providers by the names of the price list. What is not here has no price of its own: servers that people run, and
 * services whose prices the list does not have.
 */
export const listedTypes: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  'azure-ai': 'azure',
  'azure-openai': 'azure',
  bedrock: 'aws',
  cerebras: 'cerebras',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  gemini: 'google',
  groq: 'groq',
  mistral: 'mistral',
  moonshot: 'moonshotai',
  openai: 'openai',
  openrouter: 'openrouter',
  perplexity: 'perplexity',
  together: 'together',
  'vertex-ai': 'google',
  xai: 'x-ai',
  zai: 'zai',
};

/** Responses of the gateway's own that nobody charges for. */
export const freeTypes: ReadonlySet<string> = new Set(['mock']);
