import { JsonBody } from '../../src/core/json/body.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { begin, callOf } from '../contract/call.ts';
import { haveRecordings } from '../contract/recordings.ts';
import type { Json } from './assembled.ts';
import { converted, passed, type Source } from './sources.ts';
import { type Target, targets } from './targets.ts';
import { skipping } from '../support/skipping.ts';

/** The tool calls of a message, only by the rules of its format. */
function callsIn(message: Json): readonly Json[] {
  const calls = message['tool_calls'];
  if (Array.isArray(calls) && calls.length > 0) return calls as Json[];
  const content = message['content'];
  return Array.isArray(content) ? (content as Json[]).filter((part) => part['type'] === 'tool_use') : [];
}

/** A user message, the response, the results of its calls, and the next user message. */
function conversation(message: Json): Json {
  const results = callsIn(message).map((call) => ({ role: 'tool', tool_call_id: call['id'], content: 'done' }));
  const functionCall = message['function_call'] as Json | null | undefined;
  const old =
    typeof functionCall === 'object' && functionCall !== null && results.length === 0
      ? [{ role: 'function', name: functionCall['name'], content: 'done' }]
      : [];
  return {
    model: 'm',
    messages: [{ role: 'user', content: 'Hello' }, message, ...results, ...old, { role: 'user', content: 'Go on' }],
  };
}

function send({ provider, model, settings }: Target, message: Json): { body: Json; dropped: readonly string[] } {
  const deployment = provider.entry.deployment?.(settings, model);
  if (deployment instanceof Error) throw deployment;
  const { request } = begin(
    provider,
    callOf({ model: deployment?.model ?? model, settings, deployment: deployment?.settings }),
    JsonBody.from(Buffer.from(JSON.stringify(conversation(message)))),
  );
  if (request.body.kind !== 'json') throw new Error('no body');
  return { body: request.body.json(), dropped: request.dropped.map(({ param }) => param) };
}

/** Why a target rejects a history, in one line; undefined if it accepts it. */
function problemOf(target: Target, { id, message }: Source): string | undefined {
  let sent: ReturnType<typeof send>;
  try {
    sent = send(target, message);
  } catch (error) {
    return `${id}: ${String(error)}`;
  }
  const refusals = target.refusals(sent.body);
  if (refusals.length > 0) return `${id}: ${refusals.slice(0, 3).join('; ')}`;
  return bare(textsOf(sent.body)).includes(bare(textsOf({ messages: [message] }))) ? undefined : `${id}: its text is not sent`;
}

/** All texts in a body of any format, in order. */
function textsOf(body: Json): string {
  const list = (body['messages'] ?? body['contents']) as Json[];
  return list.map(({ content, parts }) => textOf(content ?? parts)).join('');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return (content as Json[]).map(partText).join('');
  return typeof content === 'object' && content !== null ? JSON.stringify(content) : '';
}

const partText = ({ type, text, citationsContent: cited }: Json): string =>
  cited === undefined ? (type === undefined || type === 'text' ? String(text ?? '') : '') : textOf((cited as Json)['content']);

/** Without whitespace, which services reject at the ends of a text. */
const bare = (text: string): string => text.replaceAll(/\s/g, '');

describe.skipIf(skipping(haveRecordings ? undefined : 'there is no recorded traffic next to the checkout'))(
  'every recorded response as history',
  () => {
    let sources: readonly Source[] = [];

    beforeAll(async () => {
      sources = [...(await passed()), ...(await converted())];
    });

    it('includes enough responses of each kind', () => {
      expect(sources.length).toBeGreaterThan(1500);
      const coveredIds = new Set(sources.map(({ id }) => id.replace(/^\S+ /, '')));
      for (const kind of ['openai npm', 'merged by index', 'lists appended', 'in its own words', '0, strict'])
        expect(coveredIds).toContain(kind);
    });

    it.each(targets.map((target) => [target.name, target] as const))('is accepted by %s', (_name, target) => {
      const problems = sources.map((source) => problemOf(target, source)).filter((one) => one !== undefined);
      expect(problems.slice(0, 5), `${problems.length} of ${sources.length}`).toEqual([]);
    });
  },
);
