import type { JsonSchema } from '#core/json/schema.ts';
import type { CommonSettings, SettingsProblem } from '#core/provider.ts';
import { parseDuration } from '#core/text/units.ts';

/** The response of one mock model. Times are durations (`300ms`, `2s`) or milliseconds. */
export interface MockReply {
  /** Text of the response. Default: the last user message. */
  readonly text?: string;
  readonly tool_call?: { readonly name: string; readonly arguments?: string | Readonly<Record<string, unknown>> };
  readonly finish_reason?: string;
  /** HTTP status. 400 and above return an error body. */
  readonly status?: number;
  /** Error message. With status 200 the body is the error object, in a stream as its first event. */
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay?: string | number;
  /** Number of pieces of a streamed text. Default: one per word. */
  readonly chunks?: number;
  readonly chunk_delay?: string | number;
  /** Simulates a fault: connection refused, connection reset halfway, or no more data. */
  readonly breaks?: 'refused' | 'reset' | 'hang';
}

export interface MockSettings extends CommonSettings {
  readonly replies?: Readonly<Record<string, MockReply>>;
}

/** Predefined models; a model of the same name in `replies` overrides them. */
const builtIn: Readonly<Record<string, MockReply>> = {
  echo: {},
  fail: { status: 500, error: 'The mock was configured to fail.' },
  slow: { delay: '2s', chunk_delay: '250ms' },
  'rate-limited': { status: 429, error: 'The mock was configured to be busy.', headers: { 'retry-after': '1' } },
};

/** Returns the reply of a model: configured, built in, or the echo, so that a mock can replace any model. */
export function replyOf(settings: MockSettings, model: string): MockReply {
  const configured = settings.replies;
  if (configured !== undefined && Object.hasOwn(configured, model)) return configured[model] ?? {};
  return Object.hasOwn(builtIn, model) ? (builtIn[model] ?? {}) : {};
}

/** Names that the mock lists. Any other name is an echo. */
export const modelNames = (settings: MockSettings): readonly string[] => [
  ...new Set([...Object.keys(builtIn), ...Object.keys(settings.replies ?? {})]),
];

/** Milliseconds of a duration that `problems` has validated. */
export const msOf = (value: string | number | undefined): number | undefined => (value === undefined ? undefined : parseDuration(value));

/** Returns the durations that cannot be parsed. */
export function problems(settings: MockSettings): readonly SettingsProblem[] {
  const found: SettingsProblem[] = [];
  for (const [name, reply] of Object.entries(settings.replies ?? {})) {
    for (const key of ['delay', 'chunk_delay'] as const) {
      const value = reply[key];
      if (value === undefined || parseDuration(value) !== undefined) continue;
      found.push({
        path: ['replies', name, key],
        code: 'out-of-range',
        message: `"${value}" is not a duration`,
        hint: 'Write it like 300ms or 2s.',
      });
    }
  }
  return found;
}

const duration = { type: ['string', 'number'], description: 'Duration like 300ms or 2s; a number without unit is milliseconds.' } as const;

const reply = {
  type: 'object',
  additionalProperties: false,
  properties: {
    text: { type: 'string', description: 'Text of the response. Default: the last user message.' },
    tool_call: {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, description: 'Name of the function.' },
        arguments: { type: ['string', 'object'], description: 'Its arguments, as JSON text or as a mapping. Default: none.' },
      },
      description: 'A function call in the response. A request with the result of a tool gets a text instead.',
    },
    finish_reason: {
      type: 'string',
      minLength: 1,
      description: 'Finish reason of the response. Default: stop, or tool_calls with tool_call.',
    },
    status: { type: 'integer', minimum: 200, maximum: 599, description: 'HTTP status; 400 and above return an error.' },
    error: { type: 'string', description: 'Error message; with status 200, sent with that status, in a stream as the first event.' },
    headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Further response headers.' },
    delay: { ...duration, description: 'Delay before the response begins.' },
    chunks: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Number of chunks of a streamed text.' },
    chunk_delay: { ...duration, description: 'Delay before each chunk of a stream.' },
    breaks: {
      enum: ['refused', 'reset', 'hang'],
      description:
        'Simulates a fault: refused (no connection), reset (the connection is reset halfway) or hang (no more data after half of the response).',
    },
  },
} as const;

export const schema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    replies: { type: 'object', additionalProperties: reply, description: 'Responses of the mock, by model name.' },
  },
};
