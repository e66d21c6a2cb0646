import { isPlain, type Plain } from '#core/merge.ts';
import { parseExact } from '../anthropic/exact.ts';
import { textOf } from '../json.ts';
import { cannotCarry } from '../cannot-carry.ts';
import type { Conversion, Part } from './conversion.ts';
import { isThird } from './model.ts';

/** A function call of an assistant message, as its result must answer it. */
export interface MadeCall {
  /** As the client knows it, without what other gateways hang behind it. */
  readonly id: string | undefined;
  readonly name: string;
  /** The id that goes upstream; undefined where the service did not issue it. */
  readonly upstreamId: string | undefined;
}

/** Stands in for a signature that a client lost. It is valid URL-safe base64 as it is. */
export const signatureStandIn = 'skip_thought_signature_validator';

const suffix = '__thought__';

/** Ids as the service gives them: eight letters and digits, or a UUID. All others come from a client or another service. */
const issued = /^(?:[a-z0-9]{8}|(?:function-call-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The id as tool messages name it: signatures that travel inside ids are cut off. */
export const bareId = (id: string): string => {
  const at = id.indexOf(suffix);
  return at < 0 ? id : id.slice(0, at);
};

/** Calls and their parts of one assistant message. @throws GatewayError for arguments that are no JSON object */
export function callParts(message: Plain, at: string, conversion: Conversion): { readonly parts: Part[]; readonly calls: MadeCall[] } {
  const parts: Part[] = [];
  const calls: MadeCall[] = [];
  for (const [index, call] of toolCalls(message).entries()) {
    const fn = isPlain(call['function']) ? call['function'] : isPlain(call['custom']) ? call['custom'] : {};
    const where = `${at}.tool_calls[${index}].function`;
    const name = textOf(fn['name']);
    if (name === undefined) throw cannotCarry(`${where}.name`, 'The tool call names no function.');
    const id = textOf(call['id']);
    const upstreamId = id === undefined || !isThird(conversion.traits) || !issued.test(id) ? undefined : id;
    const args = isPlain(call['custom']) ? { input: fn['input'] } : argumentsOf(fn['arguments'], `${where}.arguments`);
    const signature = signatureOf(call, fn, id);
    parts.push({
      functionCall: { ...(upstreamId === undefined ? {} : { id: upstreamId }), name, args },
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
    });
    calls.push({ id: id === undefined ? undefined : bareId(id), name, upstreamId });
  }
  return { parts, calls };
}

/** Gives the first call of a step the stand-in when its signature is lost; later calls of a step have none by rule. */
export function standIn(parts: readonly Part[], { options, traits }: Conversion): void {
  if (!options.signatureStandIn || !isThird(traits)) return;
  const first = parts.find((part) => part['functionCall'] !== undefined);
  if (first !== undefined) first['thoughtSignature'] ??= signatureStandIn;
}

/** `tool_calls`, and the `function_call` of the format's first days. */
function toolCalls(message: Plain): readonly Plain[] {
  const calls = message['tool_calls'];
  if (Array.isArray(calls) && calls.length > 0) return calls.filter(isPlain);
  return isPlain(message['function_call']) ? [{ function: message['function_call'] }] : [];
}

function argumentsOf(value: unknown, param: string): Plain {
  if (isPlain(value)) return value;
  if (value === undefined || value === null) return {};
  if (typeof value === 'string') {
    const text = value.trim();
    if (text === '' || text === 'null') return {};
    const object = exactly(text);
    if (isPlain(object)) return object;
  }
  throw cannotCarry(param, 'The arguments of the tool call are not a JSON object.', 'Send them as the model wrote them.');
}

function exactly(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Every place where clients are known to carry a signature. */
function signatureOf(call: Plain, fn: Plain, id: string | undefined): string | undefined {
  const extra = isPlain(call['extra_content']) ? call['extra_content'] : {};
  for (const holder of [fn, call, extra['google'], extra['vertex'], call['provider_specific_fields'], fn['provider_specific_fields']]) {
    const signature = isPlain(holder) ? (textOf(holder['thought_signature']) ?? textOf(holder['thoughtSignature'])) : undefined;
    if (signature !== undefined) return signature;
  }
  const at = id?.indexOf(suffix) ?? -1;
  return at < 0 ? undefined : textOf(id?.slice(at + suffix.length));
}
