import { budgetPattern, windowPattern } from '../../core/limits/caller-limits.ts';

const windowLimit = <const D extends string, const E extends string>(text: D, example: E) =>
  ({
    type: 'string',
    pattern: windowPattern,
    'x-form': `a number per s, min, h or day, such as ${example}`,
    description: text,
    examples: [example],
  }) as const;

const counted = {
  rate: windowLimit('Requests.', '60/min'),
  tokens: windowLimit('Tokens of requests and responses together.', '200k/min'),
  budget: {
    type: 'string',
    pattern: budgetPattern,
    'x-form': 'an amount per day, week or month, such as 50USD/month',
    description: 'Cost of the requests, by calendar day, week or month (UTC).',
    examples: ['50USD/month'],
  },
} as const;

/** Schema of `limits` of a key, and of the callers with a token. */
export const callerLimits = {
  type: 'object',
  description: 'Requests of the caller are rejected when it has reached one of these limits.',
  properties: {
    ...counted,
    concurrency: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Requests in flight.', examples: [20] },
  },
  additionalProperties: false,
} as const;

/** Schema of `limits` of a virtual key. */
export const virtualKeyLimits = {
  type: 'object',
  description: 'The virtual key is not used for requests when it has reached one of these limits.',
  properties: counted,
  additionalProperties: false,
} as const;
