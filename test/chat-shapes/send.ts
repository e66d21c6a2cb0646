import { GatewayError } from '../../src/core/error.ts';
import { JsonBody } from '../../src/core/json/body.ts';
import { throughHub } from '../../src/formats/through-hub/index.ts';
import { begin, callOf } from '../contract/call.ts';
import type { Service } from './services.ts';

export type Json = Readonly<Record<string, unknown>>;

/** One shape of a request, and what each service gets. */
export interface Row {
  readonly name: string;
  /** A content part of a user, after a text. */
  readonly part?: unknown;
  /** Members of a request. */
  readonly body?: Json;
  /** By family or service; a service takes precedence over its family. */
  readonly get: Readonly<Record<string, Outcome>>;
}

/** What a service gets: the same request, a changed one, or nothing, because the gateway rejects the parameter. */
export type Outcome = 'same' | { readonly sent: unknown; readonly dropped?: readonly string[] } | { readonly rejects: string };

const text = { type: 'text', text: 'see' };
const plain: Json = { messages: [{ role: 'user', content: [text] }] };

const requestOf = ({ part, body = {} }: Row): Json =>
  part === undefined ? { ...plain, ...body } : { messages: [{ role: 'user', content: [text, part] }] };

/** Sends a row to a service, and describes what the service gets that it does not get with a text alone. */
export function outcomeOf(row: Row, service: Service): Outcome {
  const client = requestOf(row);
  try {
    const { body, dropped } = send(client, service);
    if (JSON.stringify(body) === JSON.stringify(client)) return 'same';
    const sent = row.part === undefined ? differences(body, send(plain, service).body) : partsIn(body);
    return dropped.length === 0 ? { sent } : { sent, dropped };
  } catch (error) {
    if (error instanceof GatewayError && error.status === 400 && error.param !== undefined) return { rejects: error.param };
    throw error;
  }
}

function send(client: Json, { provider, model, settings }: Service): { readonly body: Json; readonly dropped: readonly string[] } {
  const deployment = provider.entry.deployment?.(settings, model);
  if (deployment instanceof Error) throw deployment;
  const call = callOf({ model: deployment?.model ?? model, settings, deployment: deployment?.settings });
  const { request } = begin(throughHub(provider), call, JsonBody.from(Buffer.from(JSON.stringify({ model, ...client }))));
  if (request.body.kind !== 'json') throw new Error('no body');
  const { model: _model, anthropic_version: _version, ...body } = request.body.json();
  return { body, dropped: request.dropped.map(({ param }) => param).toSorted() };
}

const differences = (body: Json, plainBody: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(plainBody[key])));

/** The parts after the text. */
function partsIn(body: Json): readonly unknown[] {
  const [turn] = (body['messages'] ?? body['contents']) as readonly [Json];
  return ((turn['content'] ?? turn['parts']) as readonly unknown[]).slice(1);
}
