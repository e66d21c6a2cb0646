import type { Vendor } from './row.ts';

/** Servers that users run themselves: at their default port, mostly without a key. */
export const selfHosted: readonly Vendor[] = [
  {
    type: 'ollama',
    title: 'Ollama',
    host: 'http://127.0.0.1:11434/v1',
    docs: 'https://docs.ollama.com/api/openai-compatibility',
    routes: [
      'chat/completions',
      'completions',
      'embeddings',
      'responses',
      'images/generations',
      'audio/speech',
      'audio/transcriptions',
      'models',
    ],
    quirks: [
      {
        name: 'limit',
        source:
          'https://github.com/ollama/ollama/issues/7125: max_completion_tokens is silently ignored, max_tokens is not (0.32.5, 2026-08)',
        renames: { max_completion_tokens: 'max_tokens' },
      },
    ],
  },
  {
    type: 'vllm',
    title: 'vLLM',
    host: 'http://127.0.0.1:8000/v1',
    docs: 'https://docs.vllm.ai/en/stable/serving/openai_compatible_server/, "Supported APIs"',
    routes: [
      'chat/completions',
      'completions',
      'embeddings',
      'responses',
      'responses/{id}',
      'responses/{id}/cancel',
      'audio/transcriptions',
      'audio/translations',
      'models',
    ],
    quirks: [
      {
        name: 'thoughts',
        source:
          'https://docs.vllm.ai/en/stable/features/reasoning_outputs/ returns reasoning_content, later versions return reasoning; https://github.com/cloudflare/ai/pull/451: reasoning is the field that it expects on input',
        thoughts: 'reasoning',
        takes: ['reasoning_content'],
      },
    ],
  },
  {
    type: 'lm-studio',
    aliases: ['lmstudio'],
    title: 'LM Studio',
    host: 'http://127.0.0.1:1234/v1',
    docs: 'https://lmstudio.ai/docs/developer/openai-compat',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
  },
  {
    type: 'llamacpp',
    aliases: ['llama-cpp'],
    title: 'llama.cpp server',
    host: 'http://127.0.0.1:8080/v1',
    docs: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md, "OpenAI-compatible API Endpoints"',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
  },
  {
    type: 'sglang',
    title: 'SGLang',
    host: 'http://127.0.0.1:30000/v1',
    docs: 'https://docs.sglang.ai/basic_usage/openai_api.html',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
  },
];
