const printed = new Set<string>();

/** For `skipIf`: true where there is a reason, which is then printed once in each file of tests. */
export function skipping(reason: string | undefined): boolean {
  if (reason === undefined) return false;
  if (!printed.has(reason)) process.stderr.write(`skipped: ${reason}\n`);
  printed.add(reason);
  return true;
}

/** The same for something that was looked for: a Python, a package. */
export const lacking = (found: object): boolean => skipping('missing' in found ? String(found.missing) : undefined);
