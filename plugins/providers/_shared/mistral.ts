import type { HistoryQuirk } from '#formats/history/rules.ts';
import type { ChatQuirk } from '#formats/openai-chat/quirks/quirk.ts';

/** The order of messages that models of Mistral require, at every service. */
export const mistralOrder = {
  name: 'order',
  source:
    "https://github.com/onyx-dot-app/onyx/issues/6458: 400, \"Unexpected role 'user' after role 'tool'\", and https://github.com/spring-projects/spring-ai/issues/2380: 400, \"Unexpected role 'system' after role 'assistant'\", and https://github.com/zed-industries/zed/pull/47579: 400, \"Assistant message must have either content or tool_calls, but not none.\"",
  systemFirst: true,
  rejectsEmpty: true,
  afterResults: 'Understood.',
} as const;

/** What models of Mistral reject or misread, at every service that serves them with Mistral's own API. */
export const mistralQuirks: readonly (ChatQuirk & HistoryQuirk & { readonly name: string; readonly source: string })[] = [
  {
    name: 'limit',
    source: 'https://github.com/editor-code-assistant/eca/issues/315: 422 extra_forbidden, body.max_completion_tokens',
    renames: { max_completion_tokens: 'max_tokens' },
  },
  {
    name: 'seed',
    source: 'https://github.com/mistralai/client-python, models/chatcompletionrequest.py: random_seed',
    renames: { seed: 'random_seed' },
  },
  {
    name: 'parameters',
    source:
      'https://github.com/mistralai/client-python, models/chatcompletionrequest.py has none of them, and others are 422 extra_forbidden: https://github.com/mistralai/platform-docs-public/issues/7, for stream_options https://github.com/avante-corp/avante.nvim/issues/2347',
    drops: [
      'stream_options',
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'user',
      'store',
      'service_tier',
      'safety_identifier',
      'prompt_cache_retention',
      'prompt_cache_options',
      'verbosity',
      'modalities',
      'audio',
      'web_search_options',
      'moderation',
    ],
  },
  {
    name: 'functions',
    source: 'https://github.com/mistralai/client-python, models/chatcompletionrequest.py: tools and tool_choice only',
    functionsAsTools: true,
  },
  {
    name: 'developer',
    source: 'https://github.com/mistralai/client-python, models/chatcompletionrequest.py: messages are of system, user, assistant and tool',
    roles: { developer: 'system' },
  },
  mistralOrder,
  {
    name: 'names',
    source: 'https://github.com/Gage-Technologies/mistral-go/pull/2: 422 extra_forbidden, body.messages.0.user.name',
    refuses: ['name', 'function_call'],
    refusesOf: { system: ['name'], developer: ['name'], user: ['name'], tool: ['name'] },
  },
  {
    name: 'thoughts',
    source: 'https://github.com/charmbracelet/crush/issues/1590: 422 extra_forbidden, body.messages.X.assistant.reasoning_content',
    refuses: ['reasoning_content'],
  },
  {
    name: 'thought-parts',
    source:
      'https://docs.mistral.ai/studio-api/conversations/reasoning, "Handling thinking chunks", and https://github.com/mozilla-ai/any-llm/pull/1241: later turns have the whole message, its thoughts included',
    thoughtParts: true,
  },
  {
    name: 'reply-parts',
    source:
      'https://docs.mistral.ai/studio-api/conversations/reasoning, "Handling thinking chunks": content is a list of thinking and text parts',
    repliesInParts: true,
  },
  {
    name: 'ids',
    source: 'https://github.com/nearai/ironclaw/issues/1241: 400, "Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9"',
    callIds: 'nine',
  },
  {
    name: 'schemas',
    source: 'https://github.com/BerriAI/litellm/pull/13389: 400, "Grammar error: … failed to compile JSON schema" for $id and $schema',
    schemaKeywords: ['$id', '$schema'],
  },
  {
    name: 'prefill',
    source:
      'https://github.com/huggingface/smolagents/issues/757: 400, "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"',
    prefill: 'prefix',
  },
];
