import { GatewayError } from '../error.ts';
import { endOfString, skipSpace } from '../json/scan.ts';
import { canonicalId, couldBeId } from './owners.ts';

/** The IDs in a request body, in canonical form. */
interface References {
  /** In fields that refer to objects of the account: the caller must be their owner. */
  readonly named: ReadonlySet<string>;
  /** In any other place: they must not have another owner. */
  readonly other: ReadonlySet<string>;
}

/** Fields whose value (a string, or a list of strings) is the ID of an object. */
const referenceFields: ReadonlySet<string> = new Set([
  'assistant_id',
  'batch_id',
  'cached_content',
  'cachedcontent',
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

/** Fields that may contain `{id}` instead of the ID. */
const objectFields: ReadonlySet<string> = new Set(['container', 'conversation', 'input']);

/** Fields whose texts are never IDs: skipping them keeps long conversations cheap. Addresses may be IDs. */
const proseFields: ReadonlySet<string> = new Set(['text', 'content', 'data', 'b64_json', 'arguments', 'metadata']);

/** Maximum number of texts per body that may be IDs: each costs a lookup. */
const maxPossibleIds = 10_000;

/**
 * Finds the IDs in a JSON text: the values of all reference fields, and other strings that could be IDs, except in
 * prose fields.
 *
 * @param body the value parsed from `text`
 * @throws GatewayError `invalid_json` if an object has a duplicate member, because services differ in which one they
 * read; `invalid_value` if more texts may be IDs than can be looked up
 */
export function referencesIn(text: string, body: unknown): References {
  const named = new Set<string>();
  const other = new Set<string>();
  const pending: FieldValue[] = [{ field: '', value: body }];
  let members = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { field, value } = next;
    if (typeof value === 'string') collectId(field, value, named, other);
    else if (Array.isArray(value)) for (const each of value) pending.push({ field, value: each });
    else if (typeof value === 'object' && value !== null) {
      const inner = membersOf(field, value);
      members += inner.length;
      for (const member of inner) pending.push(member);
    }
  }
  if (members !== countMembers(text)) throw duplicateMemberError();
  return { named, other };
}

interface FieldValue {
  readonly field: string;
  readonly value: unknown;
}

/** Names are lower-cased, because some services ignore their case. */
function membersOf(field: string, object: object): FieldValue[] {
  const isReference = isObjectReference(field, object);
  return Object.entries(object).map(([key, value]) => ({ field: isReference && key === 'id' ? 'file_id' : key.toLowerCase(), value }));
}

/** Counts the members of all objects in a JSON text, including duplicates. */
function countMembers(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', start)) {
    start = skipSpace(text, endOfString(text, start));
    if (text.charCodeAt(start) === 0x3a) count += 1;
  }
  return count;
}

const duplicateMemberError = (): GatewayError =>
  new GatewayError('invalid_json', {
    message: 'An object in the body has a member twice.',
    hint: 'The provider has isolate: true, and ids must be unambiguous. Send each member once.',
  });

/** What many readers of an address leave out of it: line breaks and tabs, and blanks and control characters around it (WHATWG URL 4.4). */
function normalizedAddress(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!/^[\x00-\x20]*[a-z][a-z0-9+.\t\n\r-]*:/i.test(text)) return text.trim();
  const line = text.replaceAll(/[\t\n\r]/g, '');
  let [start, end] = [0, line.length];
  while (line.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && line.charCodeAt(end - 1) <= 0x20) end -= 1;
  return line.slice(start, end);
}

function collectId(field: string, written: string, named: Set<string>, other: Set<string>): void {
  if (proseFields.has(field)) return;
  const text = normalizedAddress(written);
  if (referenceFields.has(field)) {
    if (text !== '' && text !== 'auto') named.add(canonicalId(text));
  } else if (couldBeId(text) && !text.startsWith('data:')) {
    other.add(canonicalId(text));
    if (other.size > maxPossibleIds) {
      throw new GatewayError('invalid_value', {
        message: `The body has more than ${maxPossibleIds} strings that may be ids of objects.`,
        hint: 'The provider has isolate: true, and each of them has to be checked. Send fewer.',
      });
    }
  }
}

/** True for `{type: 'item_reference', id}`, where the type is optional, and for `{id}` in place of an ID. */
function isObjectReference(field: string, value: object): boolean {
  const type = 'type' in value ? value.type : undefined;
  if (type === 'item_reference') return true;
  if (!objectFields.has(field) || (type !== undefined && type !== null)) return false;
  return Object.keys(value).every((key) => key === 'id' || key === 'type');
}
