import { developer, fields, type RequestRow } from './row.ts';

const one = (name: string, body: object, generationConfig: object, more: Partial<RequestRow> = {}) =>
  fields(name, body as Record<string, unknown>, { generationConfig }, more);
const none = (name: string, body: object, dropped: readonly string[], more: Partial<RequestRow> = {}) =>
  fields(name, body as Record<string, unknown>, {}, { dropped, ...more });
const on = (model: string): Partial<RequestRow> => ({
  model,
  url: `https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/${model}:generateContent`,
});
const onDeveloper = (model: string): Partial<RequestRow> => ({
  provider: 'gemini',
  settings: {},
  model,
  url: `${developer}/models/${model}:generateContent`,
});

/** Fields beside messages and tools. */
export const paramRows: readonly RequestRow[] = [
  one('sampling', { temperature: 0, top_p: 0.5, top_k: 4, seed: 7 }, { temperature: 0, topP: 0.5, topK: 4, seed: 7 }),
  one('max_tokens', { max_tokens: 5 }, { maxOutputTokens: 5 }),
  one(
    'max_completion_tokens takes precedence',
    { max_tokens: 5, max_completion_tokens: 9 },
    { maxOutputTokens: 9 },
    { dropped: ['max_tokens'] },
  ),
  one('both token limits with the same value', { max_tokens: 9, max_completion_tokens: 9 }, { maxOutputTokens: 9 }),
  one('stop as a string', { stop: 'END' }, { stopSequences: ['END'] }),
  one('stop as a list', { stop: ['a', '', 'b'] }, { stopSequences: ['a', 'b'] }, { dropped: ['stop'] }),
  one('n', { n: 3 }, { candidateCount: 3 }),
  one('penalties', { presence_penalty: 1, frequency_penalty: -1 }, { presencePenalty: 1, frequencyPenalty: -1 }),
  none(
    'penalties are dropped in generation 3',
    { presence_penalty: 1, frequency_penalty: -1 },
    ['presence_penalty', 'frequency_penalty'],
    on('gemini-3-pro-preview'),
  ),
  one('logprobs', { logprobs: true, top_logprobs: 3 }, { responseLogprobs: true, logprobs: 3 }),
  none('top_logprobs without logprobs', { top_logprobs: 3 }, ['top_logprobs']),
  one('json_object', { response_format: { type: 'json_object' } }, { responseMimeType: 'application/json' }),
  one(
    'json_schema',
    {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'n',
          strict: true,
          schema: {
            type: 'object',
            properties: { a: { $ref: '#/$defs/A' } },
            required: ['a'],
            additionalProperties: false,
            $defs: { A: { type: ['number', 'null'] } },
          },
        },
      },
    },
    {
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { a: { type: 'number', nullable: true } }, required: ['a'] },
    },
  ),
  none('a response format of another provider', { response_format: { type: 'grammar', grammar: 'x' } }, ['response_format']),
  one('six stop sequences', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, { stopSequences: ['a', 'b', 'c', 'd', 'e'] }, { dropped: ['stop'] }),
  one('logprobs without top_logprobs', { logprobs: true, top_logprobs: 0 }, { responseLogprobs: true }),
  one(
    'reasoning_effort with thinking without a budget',
    { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } },
    { showsReasoning: true },
  ),
  one(
    'reasoning_effort with thinking without a budget in generation 3',
    { thinking: { type: 'adaptive' }, reasoning_effort: 'low' },
    { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' } },
    { showsReasoning: true, ...on('gemini-3-pro-preview') },
  ),
  one(
    'reasoning_effort with a budget',
    { thinking: { type: 'enabled', budget_tokens: 500 }, reasoning_effort: 'high' },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 500 } },
    { showsReasoning: true, dropped: ['reasoning_effort'] },
  ),
  one(
    'reasoning_effort with thinking disabled',
    { thinking: { type: 'disabled' }, reasoning_effort: 'high' },
    { thinkingConfig: { includeThoughts: false } },
    { dropped: ['reasoning_effort'] },
  ),
  fields('response format text', { response_format: { type: 'text' } }, {}),
  one(
    'modalities',
    { modalities: ['text', 'image'] },
    { responseModalities: ['TEXT', 'IMAGE'] },
    { dropped: ['content_blocks.image_url'] },
  ),
  one(
    'a voice',
    { modalities: ['audio'], audio: { voice: 'Kore', format: 'pcm16' } },
    { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } },
  ),
  one(
    'image_config',
    { image_config: { aspect_ratio: '16:9', image_size: '2K' } },
    { imageConfig: { aspectRatio: '16:9', imageSize: '2K' } },
  ),
  one(
    'thinking with a budget',
    { thinking: { type: 'enabled', budget_tokens: 2030 } },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 2030 } },
    { dropped: ['content_blocks.thinking'] },
  ),
  one(
    'thinking with a budget of 0',
    { thinking: { type: 'enabled', budget_tokens: 0 } },
    { thinkingConfig: { includeThoughts: false, thinkingBudget: 0 } },
  ),
  one('thinking disabled', { thinking: { type: 'disabled' } }, { thinkingConfig: { includeThoughts: false } }),
  one(
    'thinking takes precedence over reasoning_effort',
    { thinking: { type: 'enabled', budget_tokens: 5 }, reasoning_effort: 'high' },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 5 } },
    { dropped: ['reasoning_effort', 'content_blocks.thinking'] },
  ),
  one(
    'a budget in generation 3 has no level',
    { thinking: { type: 'enabled', budget_tokens: 9 } },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 9 } },
    { ...on('gemini-3-flash'), dropped: ['content_blocks.thinking'] },
  ),
  one(
    'no budget with an API key on a pro model',
    { thinking: { type: 'enabled', budget_tokens: 0 } },
    { thinkingConfig: { includeThoughts: false, thinkingLevel: 'LOW' } },
    onDeveloper('gemini-3.1-pro-preview'),
  ),
  one('reasoning_effort low becomes a budget', { reasoning_effort: 'low' }, { thinkingConfig: { thinkingBudget: 1024 } }),
  one(
    'reasoning_effort requests thoughts if the client reads them',
    { reasoning_effort: 'low' },
    { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true } },
    { showsReasoning: true },
  ),
  one(
    'reasoning_effort none requests no thoughts',
    { reasoning_effort: 'none' },
    { thinkingConfig: { thinkingBudget: 0 } },
    { showsReasoning: true },
  ),
  one(
    'thoughts are not reported as hidden if the client reads them',
    { thinking: { type: 'enabled', budget_tokens: 5 } },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 5 } },
    { showsReasoning: true, dropped: [] },
  ),
  one('reasoning_effort none becomes a budget of 0', { reasoning_effort: 'none' }, { thinkingConfig: { thinkingBudget: 0 } }),
  one(
    'reasoning_effort none on a model that always thinks',
    { reasoning_effort: 'none' },
    { thinkingConfig: { thinkingBudget: 128 } },
    { ...on('gemini-2.5-pro'), dropped: ['reasoning_effort'] },
  ),
  one(
    'reasoning_effort minimal on the smallest model',
    { reasoning_effort: 'minimal' },
    { thinkingConfig: { thinkingBudget: 512 } },
    on('gemini-2.5-flash-lite'),
  ),
  one(
    'reasoning_effort becomes a level in generation 3',
    { reasoning_effort: 'medium' },
    { thinkingConfig: { thinkingLevel: 'MEDIUM' } },
    on('gemini-3-flash'),
  ),
  one(
    'reasoning_effort is rounded to a level of the pro model',
    { reasoning_effort: 'medium' },
    { thinkingConfig: { thinkingLevel: 'HIGH' } },
    { ...on('gemini-3-pro-preview'), dropped: ['reasoning_effort'] },
  ),
  one(
    'reasoning_effort max is the highest level',
    { reasoning_effort: 'max' },
    { thinkingConfig: { thinkingLevel: 'HIGH' } },
    { ...on('gemini-3.1-pro'), dropped: ['reasoning_effort'] },
  ),
  one(
    'reasoning_effort medium on 3.1 pro',
    { reasoning_effort: 'medium' },
    { thinkingConfig: { thinkingLevel: 'MEDIUM' } },
    on('gemini-3.1-pro'),
  ),
  one(
    'reasoning_effort none in generation 3',
    { reasoning_effort: 'none' },
    { thinkingConfig: { thinkingLevel: 'MINIMAL' } },
    { ...on('gemini-flash-latest'), dropped: ['reasoning_effort'] },
  ),
  fields('labels', { labels: { team: 'search' } }, { labels: { team: 'search' } }),
  none('labels with an API key', { labels: { team: 'search' } }, ['labels'], onDeveloper('gemini-2.5-flash')),
  fields(
    'safety settings',
    { safety_settings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
  ),
  fields(
    'cached_content',
    { cached_content: 'projects/p/locations/l/cachedContents/1' },
    { cachedContent: 'projects/p/locations/l/cachedContents/1' },
  ),
  fields(
    "fields of Google's OpenAI endpoint",
    { extra_body: { google: { thinking_config: { thinkingBudget: 3 }, cached_content: 'c' } } },
    { generationConfig: { thinkingConfig: { thinkingBudget: 3 } }, cachedContent: 'c' },
  ),
  one(
    'generation_config unchanged',
    { temperature: 1, generation_config: { temperature: 0.5, enable_affective_dialog: true } },
    { temperature: 0.5, enableAffectiveDialog: true },
  ),
  none(
    'unsupported parameters are dropped and reported',
    {
      user: 'u',
      store: true,
      metadata: { a: 'b' },
      logit_bias: { 1: 2 },
      prediction: {},
      prompt_cache_key: 'k',
      service_tier: 'flex',
      verbosity: 'low',
    },
    ['user', 'store', 'metadata', 'logit_bias', 'prediction', 'prompt_cache_key', 'verbosity', 'service_tier'],
  ),
  one(
    'reasoning_effort with thinking that is not shown',
    { thinking: { type: 'adaptive', display: 'omitted' }, reasoning_effort: 'low' },
    { thinkingConfig: { includeThoughts: false, thinkingLevel: 'LOW' } },
    { ...on('gemini-3-flash'), dropped: [] },
  ),
  none('reasoning_effort on a model that does not think', { reasoning_effort: 'high' }, ['reasoning_effort'], on('gemini-2.0-flash')),
  none('reasoning_effort of an early model', { reasoning_effort: 'low' }, ['reasoning_effort'], on('gemini-1.5-pro-002')),
  none('reasoning_effort on an image model', { reasoning_effort: 'low' }, ['reasoning_effort'], on('gemini-2.5-flash-image')),
  none('reasoning_effort on a speech model', { reasoning_effort: 'low' }, ['reasoning_effort'], onDeveloper('gemini-2.5-pro-preview-tts')),
  none('reasoning_effort none on a model that does not think', { reasoning_effort: 'none' }, [], on('gemini-2.0-flash-lite')),
  none('thinking disabled on a model that does not think', { thinking: { type: 'disabled' } }, [], on('gemini-2.0-flash')),
  none('a budget of 0 on a model that does not think', { thinking: { type: 'enabled', budget_tokens: 0 } }, [], on('gemini-2.0-flash')),
  one(
    'thinking that is asked of a model that does not think',
    { thinking: { type: 'enabled', budget_tokens: 5 } },
    { thinkingConfig: { includeThoughts: true, thinkingBudget: 5 } },
    { ...on('gemini-2.0-flash'), dropped: ['content_blocks.thinking'] },
  ),
  one(
    'reasoning_effort on an early thinking model',
    { reasoning_effort: 'low' },
    { thinkingConfig: { thinkingBudget: 1024 } },
    on('gemini-2.0-flash-thinking-exp'),
  ),
  none('an invalid reasoning_effort', { reasoning_effort: 'ultra' }, ['reasoning_effort']),
  none('an invalid thinking', { thinking: true }, ['thinking']),
  one(
    'reasoning of the Responses API',
    { reasoning: { effort: 'low', summary: 'auto' } },
    { thinkingConfig: { thinkingBudget: 1024 } },
    {
      dropped: ['reasoning.summary'],
    },
  ),
  none('invalid labels', { labels: 'x' }, ['labels']),
  none('an invalid voice', { audio: { voice: { name: 'x' } } }, ['audio.voice']),
  none('members of other providers in extra_body', { extra_body: { google: {}, other: 1 } }, ['extra_body.other']),
  fields('a service tier', { service_tier: 'flex' }, { serviceTier: 'flex' }, { ...onDeveloper('gemini-3-flash'), dropped: [] }),
  none('the default service tier', { service_tier: 'default' }, [], onDeveloper('gemini-3-flash')),
  none('a service tier of OpenAI', { service_tier: 'scale' }, ['service_tier'], onDeveloper('gemini-3-flash')),
  fields(
    'null values are ignored',
    { temperature: null, stop: null, user: null, tools: null, response_format: null, labels: null, thinking: null },
    {},
  ),
  fields(
    'parameters that the gateway handles itself',
    { stream: true, stream_options: { include_usage: true }, model: '@x/y' },
    {},
    {
      stream: true,
      url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    },
  ),
];
