import type { KnownService } from '../src/gateway/types.ts';

const openai = 'openai';

/** A service that speaks the format of `type: openai`, at the base URL that its own documentation gives for that format. */
const at = (name: string, title: string, host: string, keyVariable?: string): KnownService => ({
  name,
  title,
  type: openai,
  host,
  keyVariable,
});

/** It rejects members that it does not know, so the gateway's own are left out. */
const strictly = (service: KnownService): KnownService => ({ ...service, settings: { extensions: 'drop' } });

/**
 * Services by the names that people know them by, in the order in which they are listed: one row each, for
 * `gateway init`, `gateway providers add` and the docs. Without a variable: your own server, which accepts any key.
 */
export const services: readonly KnownService[] = Object.freeze([
  { name: openai, title: 'OpenAI', type: openai, host: undefined, keyVariable: 'OPENAI_API_KEY' },
  { name: 'anthropic', title: 'Anthropic', type: 'anthropic', host: undefined, keyVariable: 'ANTHROPIC_API_KEY' },
  { name: 'gemini', title: 'Google Gemini', type: 'gemini', host: undefined, keyVariable: 'GEMINI_API_KEY' },
  strictly(at('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY')),
  at('deepinfra', 'DeepInfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  at('deepseek', 'DeepSeek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  strictly(at('fireworks', 'Fireworks AI', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY')),
  strictly(at('groq', 'Groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY')),
  at('huggingface', 'Hugging Face', 'https://router.huggingface.co/v1', 'HF_TOKEN'),
  strictly(at('mistral', 'Mistral AI', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY')),
  at('moonshot', 'Moonshot AI', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  at('nvidia', 'NVIDIA NIM', 'https://integrate.api.nvidia.com/v1', 'NVIDIA_API_KEY'),
  at('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  at('perplexity', 'Perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY'),
  at('sambanova', 'SambaNova', 'https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY'),
  at('together', 'Together AI', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  at('xai', 'xAI', 'https://api.x.ai/v1', 'XAI_API_KEY'),
  at('llamacpp', 'llama.cpp server', 'http://127.0.0.1:8080/v1'),
  at('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1'),
  at('ollama', 'Ollama', 'http://127.0.0.1:11434/v1'),
  at('sglang', 'SGLang', 'http://127.0.0.1:30000/v1'),
  at('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'),
]);
