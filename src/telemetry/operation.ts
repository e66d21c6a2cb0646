/**
 * Operation names in the GenAI semantic conventions of OpenTelemetry, by endpoint; an endpoint without a row is not a model
 * operation. The conventions allow custom names for operations that they don't define.
 */
const operations: ReadonlyMap<string, string> = new Map([
  ['chat/completions', 'chat'],
  ['responses', 'chat'],
  ['messages', 'chat'],
  ['prompts/{id}/completions', 'chat'],
  ['completions', 'text_completion'],
  ['embeddings', 'embeddings'],
  ['images/embeddings', 'embeddings'],
  ['images/generations', 'image_generation'],
  ['images/edits', 'image_generation'],
  ['images/variations', 'image_generation'],
  ['audio/speech', 'speech'],
  ['audio/transcriptions', 'transcription'],
  ['audio/translations', 'transcription'],
  ['moderations', 'moderation'],
]);

export const operationOf = (endpoint: string): string | undefined => operations.get(endpoint);
