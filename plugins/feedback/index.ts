import type { Admitted } from '#core/context.ts';
import { GatewayError } from '#core/error.ts';
import type { JsonBody } from '#core/json/body.ts';
import { isJsonObject } from '#core/json/merge.ts';
import type { Feedback, FeedbackInput } from '#core/logs/reader.ts';
import { definePlugin, type Planned } from '#core/plugin.ts';

/** Maximum characters of a trace id. */
const maxTraceLength = 128;
/** Limits of metadata: characters as JSON, members of one object or list, and levels. A record keeps no more of a note. */
const metadataLimits = { characters: 1024, members: 32, levels: 3 } as const;

/**
 * Accepts a client's feedback about an earlier response, identified by its trace id. It is stored with the record of the
 * feedback request, which is in the spool before the response is sent.
 */
export default definePlugin({
  name: 'feedback',
  moments: ['plan'],
  implied: 'first',
  endpoints: ['feedback', 'feedback/{id}'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: (_options, host) => ({
    plan: (ctx: Admitted): Planned => {
      const feedback = feedbackIn(ctx, host.now());
      host.note(ctx, { ...feedback });
      // Client libraries of other gateways read one or the other name.
      const reply = { status: 'success', message: 'Feedback successfully saved', feedback_ids: [feedback.id], feedback_id: [feedback.id] };
      return { answer: { status: 200, headers: [], body: Buffer.from(JSON.stringify(reply), 'utf8'), flow: undefined } };
    },
  }),
});

/** @throws GatewayError `missing_required_parameter`, `invalid_type`, `invalid_value` */
function feedbackIn(ctx: Admitted, at: number): FeedbackInput {
  const { body, endpoint } = ctx;
  if (body.kind !== 'json') throw new GatewayError('invalid_json', { message: 'The body is not a JSON object.' });
  const trace = endpoint === 'feedback' ? traceIn(body) : traceOf(ctx.params['id'] ?? '');
  return {
    id: endpoint === 'feedback' ? idFor(trace, ctx.id) : (ctx.params['id'] ?? ''),
    trace_id: trace,
    value: numberIn(body, 'value', undefined, [-10, 10]),
    // An update without a weight keeps the previous one.
    weight: endpoint === 'feedback' || isGiven(body, 'weight') ? numberIn(body, 'weight', 1, [0, 1]) : null,
    metadata: endpoint === 'feedback' || isGiven(body, 'metadata') ? metadataIn(body) : null,
    at,
  };
}

/** The id contains the trace id, so that every gateway of a fleet can update the feedback. */
const idFor = (trace: string, request: string): string => `fb_${Buffer.from(trace, 'utf8').toString('base64url')}.${request.slice(-16)}`;

function traceOf(id: string): string {
  const encoded = /^fb_([\w-]+)\.\w{1,32}$/.exec(id)?.[1];
  const trace = encoded === undefined ? '' : Buffer.from(encoded, 'base64url').toString('utf8');
  if (trace === '' || trace.length > maxTraceLength)
    throw new GatewayError('invalid_value', {
      message: `"${id.slice(0, 100)}" is not the id of a feedback.`,
      param: 'id',
      hint: 'Use the id that POST /v1/feedback returned.',
    });
  return trace;
}

function traceIn(body: JsonBody): string {
  const trace = body.peek('trace_id') ?? body.peek('traceID');
  if (trace === undefined || trace === null || trace === '')
    throw new GatewayError('missing_required_parameter', {
      message: '"trace_id" is missing.',
      param: 'trace_id',
      hint: 'Send the value of the response header x-gateway-trace-id.',
    });
  if (typeof trace !== 'string') throw new GatewayError('invalid_type', { message: '"trace_id" is not a string.', param: 'trace_id' });
  if (trace.length > maxTraceLength)
    throw new GatewayError('invalid_value', { message: `"trace_id" is longer than ${maxTraceLength} characters.`, param: 'trace_id' });
  return trace;
}

const isGiven = (body: JsonBody, name: string): boolean => (body.peek(name) ?? null) !== null;

function numberIn(body: JsonBody, name: string, defaultValue: number | undefined, [min, max]: readonly [number, number]): number {
  const value = body.peek(name) ?? defaultValue;
  if (value === undefined) throw new GatewayError('missing_required_parameter', { message: `"${name}" is missing.`, param: name });
  if (typeof value !== 'number') throw new GatewayError('invalid_type', { message: `"${name}" is not a number.`, param: name });
  if (value >= min && value <= max) return value;
  throw new GatewayError('invalid_value', { message: `"${name}" is not between ${min} and ${max}.`, param: name });
}

function metadataIn(body: JsonBody): Feedback['metadata'] {
  const metadata = body.value('metadata') ?? {};
  if (!isJsonObject(metadata)) throw new GatewayError('invalid_type', { message: '"metadata" is not an object.', param: 'metadata' });
  if (JSON.stringify(metadata).length > metadataLimits.characters)
    throw new GatewayError('invalid_value', {
      message: `"metadata" is longer than ${metadataLimits.characters} characters.`,
      param: 'metadata',
    });
  if (isWithinLimits(metadata, metadataLimits.levels)) return metadata;
  throw new GatewayError('invalid_value', {
    message: `"metadata" has an object or list of more than ${metadataLimits.members} members, or more than ${metadataLimits.levels} levels.`,
    param: 'metadata',
  });
}

function isWithinLimits(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const members = Object.values(value);
  return levels > 0 && members.length <= metadataLimits.members && members.every((each) => isWithinLimits(each, levels - 1));
}
