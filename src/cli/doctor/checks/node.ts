import { type Check, fail, ok } from '../result.ts';

/** The version of Node, compared with `engines` of the package: a lowest version, such as `>=22.19`. */
export const checkNode: Check = ({ machine: { node, engines } }) => {
  const least = engines.replace(/^>=\s*/, '');
  const message = `node ${node} (needs ${least} or newer)`;
  return [compare(node, least) >= 0 ? ok(message) : fail(message, `install Node ${least} or newer`)];
};

function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  for (let i = 0; i < 3; i += 1) {
    const difference = (a?.[i] ?? 0) - (b?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
