/**
 * Whose signature a thought bears. Services refuse each other's, and a history may have come from several of them. Both
 * are base64 of a message in protocol buffers: Anthropic's begins with a counted header, Gemini's with opaque bytes
 * behind a 1. What is neither is nobody's for certain.
 */
export function signedBy(signature: string): 'anthropic' | 'gemini' | undefined {
  if (standIns.has(signature)) return 'gemini';
  if (signature.length < shortest) return undefined;
  const bytes = Buffer.from(signature.slice(0, 32), 'base64');
  const outer = fieldAt(bytes, 0);
  if (outer === undefined) return undefined;
  if (outer.tag === first) return bytes[outer.start] === opaque ? 'gemini' : undefined;
  const inner = fieldAt(bytes, outer.start);
  if (inner?.tag !== first) return undefined;
  const next = bytes[inner.start];
  return next === opaque ? 'gemini' : next === version ? 'anthropic' : undefined;
}

/** Documented by Google for calls that Gemini did not make. */
const standIns: ReadonlySet<string> = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/** Characters; a real signature is longer. */
const shortest = 40;

/** Tags of fields 1 and 2 with a length, and of field 1 as a number. */
const first = 0x0a;
const second = 0x12;
const version = 0x08;
const opaque = 0x01;

/** A field with a length: its tag, and where its content begins. */
function fieldAt(bytes: Buffer, at: number): { readonly tag: number; readonly start: number } | undefined {
  const tag = bytes[at];
  if (tag !== first && tag !== second) return undefined;
  let start = at + 1;
  while (((bytes[start] ?? 0) & 0x80) !== 0) start += 1;
  return start >= bytes.length ? undefined : { tag, start: start + 1 };
}
