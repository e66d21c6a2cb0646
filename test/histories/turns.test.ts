import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JsonBody } from '../../src/core/json/body.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Json } from './assembled.ts';
import { type Target, targets } from './targets.ts';
import { afterCalls, type Client, clients, storedMessage } from './turns.ts';

/** Responses of services, each in the formats that can express it. `{n}` makes ids and words distinct. */
const responses = JSON.parse(readFileSync(new URL('turns.json', import.meta.url), 'utf8')) as readonly ({ readonly name: string } & Json)[];

/** One conversation in which all responses come from different services in turn. */
function conversation(client: Client): readonly Json[] {
  const messages: Json[] = [{ role: 'user', content: 'user-0.' }];
  for (const { name: _name, ...formats } of responses)
    for (const [format, content] of Object.entries(formats)) {
      const n = String(messages.length);
      const message = storedMessage(format, JSON.parse(JSON.stringify(content).replaceAll('{n}', n)), client, `req_${n}`);
      messages.push(message, ...afterCalls(message, client, `user-${n}.`));
    }
  return messages;
}

function send({ provider, model, settings }: Target, { endpoint, strict }: Client, messages: readonly Json[]): Json {
  const tools =
    endpoint === 'messages'
      ? [{ name: 'f', input_schema: { type: 'object' } }]
      : [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  const deployment = provider.entry.deployment?.(settings, model);
  if (deployment instanceof Error) throw deployment;
  const call = callOf({ endpoint, strict, model: deployment?.model ?? model, settings, deployment: deployment?.settings });
  const { request } = begin(throughHub(provider), call, JsonBody.of({ model, max_tokens: 9000, messages, tools }));
  if (request.body.kind !== 'json') throw new Error('no body');
  return request.body.json();
}

/** Words of the user, the models and the tools. Thinking counts only if Claude can read it again. */
const wordsIn = (value: unknown, thinks: boolean): readonly string[] =>
  [...JSON.stringify(value).matchAll(/(?<![\w-])(?:user|text|arg|result-user|claude-think)-\w+\./g)]
    .map(([word]) => word)
    .filter((word) => thinks || !word.startsWith('claude'));

/** Native requests pass: the API joins messages of the same role, and a client must not send its own turns that were cut off. */
const ofClient = /same role as before|ends with thinking/;

describe.each(clients.map((client) => [client.name, client] as const))(
  'a conversation of %s that moves between services',
  (_name, client) => {
    const messages = conversation(client);

    it.each(targets.map((target) => [target.name, target] as const))('is accepted by %s, and nothing is lost', (name, target) => {
      const body = send(target, client, messages);
      const refusals = target.refusals(body).filter((one) => client.endpoint !== 'messages' || !ofClient.test(one));
      expect(refusals).toEqual([]);
      expect(wordsIn(body, true)).toEqual(expect.arrayContaining([...wordsIn(messages, /anthropic|messages/i.test(name))]));
    });
  },
);
