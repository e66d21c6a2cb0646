/** Inserts a value as the newest; if the map is full, the oldest entry is removed. Maps keep the order of insertion. */
export function remember<K, V>(kept: Map<K, V>, key: K, value: V, most: number): V {
  kept.delete(key);
  const [oldest] = kept.keys();
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
  return value;
}
