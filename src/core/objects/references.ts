import { GatewayError } from '../error.ts';
import { canonicalId, couldBeId } from './owners.ts';

/** The ids in a request's body, in canonical form. */
interface References {
  /** In fields that name objects of the account: the caller must have made them. */
  readonly named: ReadonlySet<string>;
  /** Anywhere else: nobody else may have made them. */
  readonly other: ReadonlySet<string>;
}

/** Fields whose value (a text, or a list of texts) is the id of an object. */
const referenceFields: ReadonlySet<string> = new Set([
  'assistant_id',
  'batch_id',
  'container',
  'container_id',
  'conversation',
  'conversation_id',
  'file_id',
  'file_ids',
  'input_file_id',
  'previous_response_id',
  'response_id',
  'thread_id',
  'training_file',
  'upload_id',
  'validation_file',
  'vector_store_id',
  'vector_store_ids',
]);

/** Fields that may hold `{id}` in place of the id. */
const objectFields: ReadonlySet<string> = new Set(['container', 'conversation', 'input']);

/** Fields whose texts no provider reads as an id: skipping them keeps long talks cheap. Addresses may be ids. */
const proseFields: ReadonlySet<string> = new Set(['text', 'content', 'data', 'b64_json', 'arguments', 'metadata']);

/** Texts of one body that may look like ids: each costs a look-up. */
const mostOthers = 10_000;

/**
 * Finds the ids that a JSON text names. `metadata` is the caller's own; of texts with other meanings only those without
 * white space are considered.
 *
 * @param body the value that `JSON.parse` makes of `text`
 * @throws GatewayError `invalid_json` where an object has a member twice, since services differ in which they read;
 * `invalid_value` for a body with more texts that may be ids than can be looked up
 */
export function referencesIn(text: string, body: unknown): References {
  const named = new Set<string>();
  const other = new Set<string>();
  const open: Member[] = [{ field: '', value: body }];
  let members = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { field, value } = next;
    if (typeof value === 'string') note(field, value, named, other);
    else if (Array.isArray(value)) for (const each of value) open.push({ field, value: each });
    else if (typeof value === 'object' && value !== null) {
      const inner = membersOf(field, value);
      members += inner.length;
      for (const member of inner) open.push(member);
    }
  }
  if (members !== membersWritten(text)) throw writtenTwice();
  return { named, other };
}

interface Member {
  readonly field: string;
  readonly value: unknown;
}

/** Services that read names in any case are no way around. */
function membersOf(field: string, object: object): Member[] {
  const isReference = isObjectReference(field, object);
  return Object.entries(object).map(([key, value]) => ({ field: isReference && key === 'id' ? 'file_id' : key.toLowerCase(), value }));
}

/** Members of all objects in a JSON text, those that are there twice counted twice. */
function membersWritten(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', start)) {
    start = endOfText(text, start);
    while (isSpace(text.charCodeAt(start))) start += 1;
    if (text.charCodeAt(start) === 0x3a) count += 1;
  }
  return count;
}

/** The place behind a JSON string that begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = end - 1;
    while (text.charCodeAt(slashes) === 0x5c) slashes -= 1;
    if ((end - slashes) % 2 === 1) return end + 1;
  }
  return text.length;
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const writtenTwice = (): GatewayError =>
  new GatewayError('invalid_json', {
    message: 'An object in the body has a member twice.',
    hint: 'The provider has isolate: true, and ids must be unambiguous. Send each member once.',
  });

/** Blanks around an address are nothing to many who read one (WHATWG URL 4.4). */
function note(field: string, written: string, named: Set<string>, other: Set<string>): void {
  const text = written.trim();
  if (referenceFields.has(field)) {
    if (text !== '' && text !== 'auto') named.add(canonicalId(text));
  } else if (!proseFields.has(field) && couldBeId(text) && !text.startsWith('data:')) {
    other.add(canonicalId(text));
    if (other.size > mostOthers) {
      throw new GatewayError('invalid_value', {
        message: `The body has more than ${mostOthers} strings that may be ids of objects.`,
        hint: 'The provider has isolate: true, and each of them has to be checked. Send fewer.',
      });
    }
  }
}

/** `{type: 'item_reference', id}`, whose type may be left out, and `{id}` where an id alone would do. */
function isObjectReference(field: string, value: object): boolean {
  const type = 'type' in value ? value.type : undefined;
  if (type === 'item_reference') return true;
  if (!objectFields.has(field) || (type !== undefined && type !== null)) return false;
  return Object.keys(value).every((key) => key === 'id' || key === 'type');
}
