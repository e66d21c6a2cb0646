import { mistralQuirks } from '../_shared/mistral.ts';
import { nameField, roles, thoughts } from './common.ts';
import type { Vendor } from './row.ts';
import { xaiEdits } from './xai-edits.ts';

/** Services of vendors that create their own models. */
export const labs: readonly Vendor[] = [
  {
    type: 'dashscope',
    aliases: ['alibaba'],
    title: 'Alibaba Cloud Model Studio',
    host: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    docs: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    routes: ['chat/completions', 'completions', 'embeddings', 'responses', 'models'],
    quirks: [
      {
        name: 'developer',
        source:
          "https://github.com/earendil-works/pi/issues/5117: 400 invalid_parameter_error, \"developer is not one of ['system', 'assistant', 'user', 'tool', 'function']\"",
        roles,
      },
    ],
  },
  {
    type: 'deepseek',
    title: 'DeepSeek',
    host: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
    priceList: 'deepseek',
    docs: 'https://api-docs.deepseek.com/',
    routes: ['chat/completions', 'responses', 'models'],
    quirks: [
      {
        name: 'limit',
        source:
          'https://github.com/earendil-works/pi/issues/8018: max_completion_tokens is silently ignored, max_tokens is not (2026-08); https://api-docs.deepseek.com/api/create-chat-completion has max_tokens alone',
        renames: { max_completion_tokens: 'max_tokens' },
      },
      {
        name: 'developer',
        source:
          'https://github.com/earendil-works/pi/issues/1048: 400, "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`"',
        roles,
      },
      {
        name: 'thinking',
        source: 'https://api-docs.deepseek.com/guides/thinking_mode, "Thinking Mode Toggle and Effort Control"',
        supportedExtensions: ['thinking'],
      },
      {
        name: 'thoughts',
        source:
          'https://api-docs.deepseek.com/guides/thinking_mode, "Tool Calls": reasoning_content must be passed back, otherwise the API returns 400; recorded requests have it',
        thoughts,
      },
      {
        name: 'thoughts of others',
        source:
          'https://github.com/NousResearch/hermes-agent/issues/16388: 400, "messages with tool_calls must include reasoning_content"; an empty one is enough',
        needsThoughts: true,
      },
      {
        name: 'ids',
        source:
          'https://github.com/craft-ai-agents/craft-agents-oss/issues/630: 400, "Duplicate value for \'tool_call_id\'" for an id that occurs in two turns',
        uniqueIds: true,
      },
      {
        name: 'thinking switch',
        source:
          'https://api-docs.deepseek.com/guides/thinking_mode; https://github.com/deepseek-ai/DeepSeek-V3/issues/1376: 400, "Thinking mode does not support this tool_choice" for required and a named function, and 200 with thinking disabled',
        thinksByDefault: true,
      },
      {
        name: 'thinking types',
        source: 'https://api-docs.deepseek.com/guides/thinking_mode, "Thinking Mode Toggle and Effort Control": enabled and disabled',
        switchesThinking: true,
      },
      {
        name: 'schema',
        source:
          'https://github.com/llm-exe/llm-exe/issues/662: 400, "This response_format type is unavailable now" for json_schema; https://api-docs.deepseek.com/guides/json_mode, which needs the word "json" in the prompt',
        schemaInPrompt: true,
      },
    ],
  },
  {
    type: 'mistral',
    telemetryName: 'mistral_ai',
    aliases: ['mistral-ai'],
    title: 'Mistral AI',
    host: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    priceList: 'mistral',
    docs: 'https://docs.mistral.ai/api',
    routes: [
      'chat/completions',
      'embeddings',
      'moderations',
      'audio/transcriptions',
      'models',
      'files',
      'files/list',
      'files/{id}',
      'files/{id}/content',
      'files/{id}/delete',
    ],
    quirks: mistralQuirks,
  },
  {
    type: 'moonshot',
    aliases: ['kimi'],
    title: 'Moonshot AI',
    host: 'https://api.moonshot.ai/v1',
    keyVariable: 'MOONSHOT_API_KEY',
    priceList: 'moonshotai',
    docs: 'https://platform.kimi.ai/docs/overview',
    routes: ['chat/completions', 'models', 'files', 'files/list', 'files/{id}', 'files/{id}/content', 'files/{id}/delete'],
    quirks: [
      { name: 'developer', source: 'https://github.com/openclaw/openclaw/issues/8579: system, user, assistant and tool only', roles },
      {
        name: 'thinking',
        source: 'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model: thinking {type}',
        supportedExtensions: ['thinking'],
      },
      {
        name: 'thinking types',
        source: 'https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model: enabled and disabled',
        switchesThinking: true,
      },
      {
        name: 'thoughts',
        source:
          'https://www.kimi.com/code/docs/en/kimi-code/error-reference.html, "thinking is enabled but reasoning_content is missing": 400',
        thoughts,
      },
      {
        name: 'thoughts of others',
        source: 'https://github.com/NousResearch/hermes-agent/issues/16388: an empty reasoning_content in messages with calls is accepted',
        needsThoughts: true,
      },
    ],
  },
  {
    type: 'perplexity',
    aliases: ['perplexity-ai'],
    title: 'Perplexity',
    // Perplexity ended Sonar's own chat completions on 2026-09-27.
    host: 'https://api.perplexity.ai/orchestrator/v1',
    keyVariable: 'PERPLEXITY_API_KEY',
    priceList: 'perplexity',
    docs: 'https://docs.perplexity.ai/docs/orchestrator/faq, "Access and Setup"',
    routes: ['chat/completions', 'responses'],
  },
  {
    type: 'xai',
    telemetryName: 'x_ai',
    aliases: ['x-ai'],
    title: 'xAI',
    host: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    priceList: 'x-ai',
    docs: 'https://docs.x.ai/developers/rest-api-reference/inference',
    routes: ['chat/completions', 'completions', 'responses', 'responses/{id}', 'images/generations', 'images/edits', 'models'],
    quirks: [
      {
        name: 'penalties',
        source:
          'https://github.com/QuantumNous/new-api/pull/6081 and https://github.com/yym68686/uni-api/issues/105: 400, "Argument not supported on this model: presencePenalty" for grok-3-mini and grok-4 on',
        drops: ['presence_penalty', 'frequency_penalty'],
        models: /^grok-(?:3-mini|[4-9])/,
      },
      {
        name: 'stop',
        source:
          'https://docs.x.ai/docs/guides/reasoning: an error for reasoning models; https://github.com/huggingface/smolagents/issues/1765: 400, "Argument not supported on this model: stop"; https://github.com/lidge-jun/opencodex/issues/5278: clients that always send it; https://github.com/BerriAI/litellm/pull/14565: grok-code-fast; https://github.com/langchain-ai/langchain/pull/38335: models without reasoning have it',
        drops: ['stop'],
        models: /^grok-(?:3-mini|[4-9]|code-fast)(?!.*non-reasoning)/,
      },
      {
        name: 'names',
        source: 'https://github.com/BerriAI/litellm/issues/9720: 400, "Only messages of role \'user\' can have a name."',
        refuses: nameField,
        refusesOf: { system: nameField, developer: nameField, tool: nameField },
      },
      {
        name: 'efforts',
        source:
          'https://github.com/NousResearch/hermes-agent/pull/23435, models tested one by one, and https://github.com/router-for-me/CLIProxyAPI/pull/3968: 400, "Model … does not support parameter reasoningEffort"',
        drops: ['reasoning_effort'],
        models: /^grok-(?:2|3(?!-mini)|4\.20(?!-multi-agent)|build|code|composer)/,
      },
      {
        name: 'edits',
        source:
          'https://docs.x.ai/developers/model-capabilities/images/generation, "Image Editing": application/json, no multipart/form-data; the reference of /v1/images/edits: image or images with a url, mask, no size, no style',
        imageEdits: xaiEdits,
      },
    ],
  },
  {
    type: 'zai',
    aliases: ['z-ai'],
    title: 'Z.AI',
    host: 'https://api.z.ai/api/paas/v4',
    keyVariable: 'ZAI_API_KEY',
    priceList: 'zai',
    docs: 'https://docs.z.ai/guides/develop/openai/python; the list of models: https://hex.pm/packages/genai/0.3.3/files/lib/genai_providers/zai/models.ex, "verified live"',
    routes: ['chat/completions', 'images/generations', 'models'],
    quirks: [
      {
        name: 'limit',
        source:
          'https://docs.z.ai/api-reference/llm/chat-completion: max_tokens alone; https://java.agentscope.io/v2/en/integration/model/glm: "GLM only supports max_tokens"',
        renames: { max_completion_tokens: 'max_tokens' },
      },
      { name: 'developer', source: 'https://github.com/vastsa/PI-Desktop/issues/30: 400, "[1214] Incorrect role information"', roles },
      {
        name: 'thinking',
        source: 'https://docs.z.ai/guides/capabilities/thinking-mode, "Default Thinking Behaviour"',
        supportedExtensions: ['thinking'],
      },
      {
        name: 'thinking types',
        source: 'https://docs.z.ai/guides/capabilities/thinking-mode, "Default Thinking Behaviour": enabled and disabled',
        switchesThinking: true,
      },
      {
        name: 'thoughts',
        source:
          'https://docs.z.ai/guides/capabilities/thinking-mode, "Interleaved thinking": thinking is returned together with the tool results',
        thoughts,
      },
    ],
  },
];
