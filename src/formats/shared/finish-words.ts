/** The words by which choices ended, in the order of the choices. @param byChoice undefined while one is in progress */
export function finishWords(byChoice: ReadonlyMap<number, string | undefined>): readonly string[] {
  if (byChoice.size === 1) for (const word of byChoice.values()) return word === undefined ? [] : [word];
  return [...byChoice].toSorted(([a], [b]) => a - b).flatMap(([, word]) => word ?? []);
}
