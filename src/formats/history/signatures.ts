/**
 * Detects the service that signed a thought. Services reject each other's signatures, and a history may come from several of
 * them. Both signatures are base64 of a protocol buffers message: Anthropic's begins with a length-delimited header that starts
 * with a number field, Gemini's with opaque bytes that start with 1. Undefined if it is neither.
 */
export function signedBy(signature: string): 'anthropic' | 'gemini' | undefined {
  if (placeholderSignatures.has(signature)) return 'gemini';
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

/** The member of an event or a block for a signature. */
export const signed = (signature: string | undefined): { readonly signature?: string } => (signature === undefined ? {} : { signature });

/** Documented by Google for calls that Gemini did not make. */
const placeholderSignatures: ReadonlySet<string> = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/** In characters. Real signatures are longer. */
const shortest = 40;

/** Tags of fields 1 and 2 with a length, and of field 1 as a number. */
const first = 0x0a;
const second = 0x12;
const version = 0x08;
const opaque = 0x01;

/** Reads the header of a field with a length: its tag, and the offset of its content. */
function fieldAt(bytes: Buffer, at: number): { readonly tag: number; readonly start: number } | undefined {
  const tag = bytes[at];
  if (tag !== first && tag !== second) return undefined;
  let start = at + 1;
  while (((bytes[start] ?? 0) & 0x80) !== 0) start += 1;
  return start >= bytes.length ? undefined : { tag, start: start + 1 };
}
