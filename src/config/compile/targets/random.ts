/**
 * Random number in [0, 1) for one load-balancing node, derived from the request's only random number and the node's
 * path. The same record gives the same number, and nested nodes get independent numbers. `round` counts repeated
 * choices.
 */
export function nodeRandom(random: number, path: string, round: number): number {
  const scaled = random * 2 ** 32;
  const high = Math.floor(scaled);
  const low = Math.floor((scaled - high) * 2 ** 21);
  let hash = mix((0x811c9dc5 ^ high) >>> 0);
  hash = mix((hash ^ low) >>> 0);
  for (let i = 0; i < path.length; i += 1) hash = Math.imul(hash ^ path.charCodeAt(i), 0x01000193) >>> 0;
  return mix((hash + Math.imul(round, 0x9e3779b1)) >>> 0) / 2 ** 32;
}

/** The finalizer of MurmurHash3: every bit of the input affects every bit of the output. */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
