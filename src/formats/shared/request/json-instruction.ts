/** Instructs a model whose service has no JSON mode, or no structured outputs. */
export const jsonInstruction = 'Answer with one JSON object and nothing else: no other text, no code fence.';
