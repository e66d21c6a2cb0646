const printed = new Set<string>();

/** For `skipIf`: true if there is a reason, which is printed once per test file. */
export function skipping(reason: string | undefined): boolean {
  if (reason === undefined) return false;
  if (!printed.has(reason)) process.stderr.write(`skipped: ${reason}\n`);
  printed.add(reason);
  return true;
}

/** The same for a prerequisite: a Python, a package. */
export const lacking = (found: object): boolean => skipping('missing' in found ? String(found.missing) : undefined);
