/** Inserts a value as the newest; if the map is full, the oldest entry is removed. Maps keep the order of insertion. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): V {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return value;
}
