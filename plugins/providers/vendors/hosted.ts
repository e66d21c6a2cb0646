import { nameField, roles, thoughts } from './common.ts';
import type { Vendor } from './row.ts';

/** Services that run models of other vendors. */
export const hosted: readonly Vendor[] = [
  {
    type: 'cerebras',
    title: 'Cerebras',
    host: 'https://api.cerebras.ai/v1',
    keyVariable: 'CEREBRAS_API_KEY',
    priceList: 'cerebras',
    docs: 'https://inference-docs.cerebras.ai/resources/openai',
    routes: ['chat/completions', 'completions', 'models'],
    quirks: [
      {
        name: 'developer',
        source: 'https://inference-docs.cerebras.ai/resources/openai, "Key Differences from OpenAI": no developer role',
        roles,
      },
      {
        name: 'thoughts',
        source:
          'https://github.com/Kilo-Org/kilocode/issues/10375: 400 wrong_api_format, "property \'messages.2.assistant.reasoning_content\' is unsupported"',
        refuses: ['reasoning_content'],
      },
    ],
  },
  {
    type: 'deepinfra',
    title: 'DeepInfra',
    host: 'https://api.deepinfra.com/v1/openai',
    keyVariable: 'DEEPINFRA_API_KEY',
    docs: 'https://deepinfra.com/docs/openai_api',
    routes: ['chat/completions', 'completions', 'embeddings', 'images/generations', 'models'],
  },
  {
    type: 'fireworks',
    aliases: ['fireworks-ai'],
    title: 'Fireworks AI',
    host: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
    priceList: 'fireworks',
    docs: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'responses/{id}', 'models'],
    quirks: [
      {
        name: 'thinking',
        source: 'https://docs.fireworks.ai/guides/reasoning, "Controlling reasoning effort": the Anthropic-compatible thinking parameter',
        supportedExtensions: ['thinking'],
      },
      {
        name: 'thoughts',
        source:
          'https://docs.fireworks.ai/guides/reasoning, "Interleaved thinking": reasoning_content of earlier turns must be included; models without it ignore it',
        thoughts,
      },
    ],
  },
  {
    type: 'groq',
    title: 'Groq',
    host: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    priceList: 'groq',
    docs: 'https://console.groq.com/docs/openai; https://github.com/groq/groq-python, api.md',
    routes: [
      'chat/completions',
      'embeddings',
      'responses',
      'audio/speech',
      'audio/transcriptions',
      'audio/translations',
      'models',
      'files',
      'files/list',
      'files/{id}',
      'files/{id}/content',
      'files/{id}/delete',
      'batches',
      'batches/list',
      'batches/{id}',
      'batches/{id}/cancel',
      'batches/{id}/output',
    ],
    quirks: [
      {
        name: 'parameters',
        source: 'https://console.groq.com/docs/openai, "Currently Unsupported OpenAI Features": 400 if they are supplied',
        drops: ['logprobs', 'top_logprobs', 'logit_bias'],
      },
      {
        name: 'names',
        source: 'https://console.groq.com/docs/openai, "Currently Unsupported OpenAI Features": messages[].name',
        refuses: nameField,
        refusesOf: { system: nameField, developer: nameField, user: nameField, tool: nameField },
      },
      {
        name: 'nulls',
        source:
          'https://github.com/BerriAI/litellm/issues/5839: 400, "\'messages.2.function_call\' : Value is not nullable", which client libraries write',
        rejectsNulls: true,
      },
      {
        name: 'thoughts',
        source:
          'https://github.com/tashfeenahmed/freellmapi/issues/1070: 400, "property \'reasoning_content\' is unsupported"; https://github.com/karthink/gptel/issues/774: the same for reasoning, model by model',
        refuses: ['reasoning_content', 'reasoning'],
      },
      {
        name: 'efforts',
        source:
          'https://github.com/DataTalksClub/llm-zoomcamp/issues/184: gpt-oss accepts low, medium and high; any other value is an error',
        efforts: { none: 'low', minimal: 'low', xhigh: 'high', max: 'high' },
        models: /gpt-oss/,
      },
      {
        name: 'efforts of Qwen',
        source: 'https://github.com/vercel/ai/pull/7731: Qwen 3 accepts none and default',
        efforts: { minimal: 'default', low: 'default', medium: 'default', high: 'default', xhigh: 'default', max: 'default' },
        models: /qwen3/i,
      },
      {
        name: 'no efforts',
        source: 'https://github.com/diegosouzapw/OmniRoute/pull/3277: 400 for reasoning_effort on models that do not reason',
        drops: ['reasoning_effort'],
        models: /^(?!.*r1).*(?:llama|gemma|allam)/i,
      },
    ],
  },
  {
    type: 'huggingface',
    title: 'Hugging Face',
    host: 'https://router.huggingface.co/v1',
    keyVariable: 'HF_TOKEN',
    docs: 'https://huggingface.co/docs/inference-providers/index',
    routes: ['chat/completions', 'responses', 'models'],
    // The organization that pays: https://github.com/huggingface/chat-ui/issues/1986
    accountHeaders: ['x-hf-bill-to'],
  },
  {
    type: 'nvidia',
    title: 'NVIDIA NIM',
    host: 'https://integrate.api.nvidia.com/v1',
    keyVariable: 'NVIDIA_API_KEY',
    docs: 'https://docs.nvidia.com/nim/large-language-models/latest/api-reference.html',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
    quirks: [
      {
        name: 'limit',
        source:
          'https://github.com/BerriAI/litellm, litellm/llms/nvidia_nim/chat/transformation.py: max_completion_tokens goes as max_tokens',
        renames: { max_completion_tokens: 'max_tokens' },
      },
    ],
  },
  {
    type: 'openrouter',
    title: 'OpenRouter',
    host: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    priceList: 'openrouter',
    docs: 'https://openrouter.ai/docs/api-reference/overview',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
    quirks: [
      {
        name: 'cache',
        source: 'https://openrouter.ai/docs/guides/best-practices/prompt-caching, "Anthropic Claude"',
        supportedExtensions: ['cache_control'],
        takes: ['cache_control'],
      },
      {
        name: 'thinking',
        source:
          'https://openrouter.ai/docs/use-cases/reasoning-tokens, "Controlling Reasoning Tokens": reasoning.max_tokens, or enabled; https://github.com/omeryasirkucuk/amx/pull/66: 400 for both an effort and max_tokens',
        supportedExtensions: ['thinking'],
        thinkingAsReasoning: true,
      },
      {
        name: 'thoughts',
        source:
          'https://openrouter.ai/docs/use-cases/reasoning-tokens, "Preserving reasoning blocks": reasoning, or reasoning_details unchanged',
        thoughts: 'reasoning',
        details: true,
        takes: ['reasoning_content', 'reasoning_details', 'annotations', 'refusal'],
      },
    ],
  },
  {
    type: 'sambanova',
    title: 'SambaNova',
    host: 'https://api.sambanova.ai/v1',
    keyVariable: 'SAMBANOVA_API_KEY',
    docs: 'https://docs.sambanova.ai/docs/en/features/openai-compatibility',
    routes: ['chat/completions', 'completions', 'embeddings', 'audio/transcriptions', 'audio/translations', 'models'],
    quirks: [
      {
        name: 'limit',
        source: 'https://github.com/BerriAI/litellm, litellm/llms/sambanova/chat.py: max_completion_tokens goes as max_tokens',
        renames: { max_completion_tokens: 'max_tokens' },
      },
      {
        name: 'text parts',
        source: 'https://github.com/BerriAI/litellm, litellm/llms/sambanova/chat.py: content of texts alone goes as one text',
        joinsTexts: true,
      },
    ],
  },
  {
    type: 'together',
    aliases: ['together-ai'],
    title: 'Together AI',
    host: 'https://api.together.ai/v1',
    keyVariable: 'TOGETHER_API_KEY',
    priceList: 'together',
    docs: 'https://docs.together.ai/docs/inference/openai-compatibility, "Endpoint compatibility matrix"',
    routes: [
      'chat/completions',
      'completions',
      'embeddings',
      'images/generations',
      'audio/speech',
      'audio/transcriptions',
      'audio/translations',
      'models',
    ],
  },
];
