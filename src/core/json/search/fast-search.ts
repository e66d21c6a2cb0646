/**
 * V8 searches a pattern of up to this many characters by its first character, with instructions that compare many at once.
 * A longer pattern takes up to twenty times as long.
 */
const maxProbe = 6;

/** Texts up to this many characters are searched directly. */
const shortText = 256;

/**
 * `text.includes(wanted)` for a long text and an ASCII pattern: searches for a part of the pattern that begins with its rarest
 * character.
 */
export function includesFast(text: string, wanted: string): boolean {
  if (text.length <= shortText) return text.includes(wanted);
  const offset = offsetOfRarest(wanted);
  const probe = wanted.slice(offset, offset + maxProbe);
  for (let at = text.indexOf(probe, offset); at >= 0; at = text.indexOf(probe, at + 1)) {
    if (text.startsWith(wanted, at - offset)) return true;
  }
  return false;
}

function offsetOfRarest(wanted: string): number {
  let found = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < wanted.length; at += 1) {
    const rank = frequency[wanted.charCodeAt(at)] ?? 0;
    if (rank >= least) continue;
    least = rank;
    found = at;
  }
  return found;
}

/** Rough frequency of ASCII characters in JSON of prose and code: the higher the more frequent; 0: rare. */
const frequency = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  const group = [/[:.,()\d_\-kv\\]/, /[bgpwyfmuc]/, /["dlhrs/]/, /[ etaoin]/].findIndex((one) => one.test(char));
  return group + 1;
});
