import { isExactNumber, isJsonObject, type JsonObject } from '../../../../core/json/merge.ts';
import { signedBy } from '../../../history/signatures.ts';
import { tryParseExact } from '../../../../core/json/scan.ts';
import { objectOf, textOf } from '../../../shared/json.ts';
import { unsupportedParameter } from '../../../shared/request/parameter-errors.ts';
import { missingName } from '../../../shared/request/tools.ts';
import { type GenerateConversion, type Part, signed } from '../conversion.ts';
import { isThirdGeneration } from '../../model.ts';

/** A function call of an assistant message, with what is needed to match its result. */
export interface MadeCall {
  /** The client's id, without what other gateways append to it. */
  readonly id: string | undefined;
  readonly name: string;
  /** The name as the client wrote it. */
  readonly written: string;
  /** The id that is sent upstream; undefined if the service did not issue it. */
  readonly upstreamId: string | undefined;
}

/** Replaces a signature that a client lost. It already is valid URL-safe base64. */
const signatureStandIn = 'skip_thought_signature_validator';

const suffix = '__thought__';

/** Ids issued by the service: eight letters and digits, or a UUID. All others are from a client or another service. */
const issued = /^(?:[a-z0-9]{8}|(?:function-call-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Returns the id that tool messages use, without a signature that is embedded in it. */
export const bareId = (id: string): string => {
  const at = id.indexOf(suffix);
  return at < 0 ? id : id.slice(0, at);
};

const members: ReadonlySet<string> = new Set([
  'id',
  'type',
  'function',
  'custom',
  'index',
  'extra_content',
  'thought_signature',
  'thoughtSignature',
  'provider_specific_fields',
]);
const functionMembers: ReadonlySet<string> = new Set([
  'name',
  'arguments',
  'input',
  'thought_signature',
  'thoughtSignature',
  'provider_specific_fields',
]);

/** Converts one call of an assistant message to a part. @throws GatewayError for a call without a name */
export function callPart(call: JsonObject, conversion: GenerateConversion): { readonly part: Part; readonly call: MadeCall } {
  const { drops } = conversion;
  const fn = isJsonObject(call['function']) ? call['function'] : objectOf(call['custom']);
  const written = fn['name'];
  if (typeof written !== 'string') throw unsupportedParameter('messages[].tool_calls[].function.name', 'A tool call names no function.');
  drops.addUnread(call, members, 'messages[].tool_calls[].');
  drops.addUnread(fn, functionMembers, 'messages[].tool_calls[].');
  const name = functionName(written);
  const id = textOf(call['id']);
  const upstreamId = id === undefined || !isThirdGeneration(conversion.traits) || !issued.test(id) ? undefined : id;
  const args = isJsonObject(call['custom']) ? { input: fn['input'] } : argumentsOf(fn['arguments'], drops);
  const signature = ownSignature(signatureOf(call, fn, id), drops);
  const part: Part = {
    functionCall: { ...(upstreamId === undefined ? {} : { id: upstreamId }), name, args },
    ...signed(signature),
  };
  return { part, call: { id: id === undefined ? undefined : bareId(id), name, written, upstreamId } };
}

/** Adapts a name: it must begin with a letter or "_". A history may contain other names from other services. */
const functionName = (name: string): string =>
  (name === '' ? missingName : name)
    .slice(0, 128)
    .replaceAll(/[^\w.:-]/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 128);

/** Returns the signature, unless another service created it. The service would reject it then. */
export function ownSignature(signature: string | undefined, drops: GenerateConversion['drops']): string | undefined {
  if (signature === undefined || signedBy(signature) !== 'anthropic') return signature;
  drops.add('messages[].thought_signature', 'signed by another service');
  return undefined;
}

/** Adds the placeholder to the first call of a step if its signature is missing. Later calls of a step need none. */
export function addPlaceholderSignature(parts: readonly Part[], { options, traits }: GenerateConversion): void {
  if (!options.signatureStandIn || !isThirdGeneration(traits)) return;
  const first = parts.find((part) => part['functionCall'] !== undefined);
  if (first !== undefined) first['thoughtSignature'] ??= signatureStandIn;
}

/**
 * Parses arguments. Text that is not a JSON object, such as a call that was cut off, is kept in a member `arguments`, so that the
 * model still sees it.
 */
function argumentsOf(value: unknown, drops: GenerateConversion['drops']): JsonObject {
  if (isJsonObject(value)) return value;
  if (value === undefined || value === null) return {};
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  if (text === '' || text === 'null') return {};
  const object = tryParseExact(text);
  if (isJsonObject(object) && !isExactNumber(object)) return object;
  drops.add('messages[].tool_calls[].arguments', 'not a JSON object: sent as text in the member "arguments"');
  return { arguments: object ?? text };
}

/** True if the client sent the call with its signature. */
export const hasSignature = (call: JsonObject): boolean => signatureOf(call, objectOf(call['function']), textOf(call['id'])) !== undefined;

/** Looks for a signature in every place where clients are known to put it. */
function signatureOf(call: JsonObject, fn: JsonObject, id: string | undefined): string | undefined {
  const extra = objectOf(call['extra_content']);
  for (const holder of [fn, call, extra['google'], extra['vertex'], call['provider_specific_fields'], fn['provider_specific_fields']]) {
    const signature = isJsonObject(holder) ? (textOf(holder['thought_signature']) ?? textOf(holder['thoughtSignature'])) : undefined;
    if (signature !== undefined) return signature;
  }
  const at = id?.indexOf(suffix) ?? -1;
  return at < 0 ? undefined : textOf(id?.slice(at + suffix.length));
}
