import { canonicalPrefix, isForwardable, isRequestOverride } from '../../../core/http/headers.ts';
import { child, type Entry } from '../../read/node.ts';
import type { Problem } from '../../report/problem.ts';
import { callerRulesOf, type CheckContext, entryOf, sitesOf, textsOf, valueOf } from '../context.ts';

/** Reports keys and values that this version ignores, and headers that cannot be forwarded. */
export function checkUnsupported({ root, report }: CheckContext): void {
  const prefixes = textsOf(child(child(root, 'server'), 'header_prefixes')).map(({ text }) => text);
  const gatewayPrefixes = [canonicalPrefix, ...(prefixes.length > 0 ? prefixes : ['x-portkey-'])];
  for (const rules of callerRulesOf(root)) {
    const debug = entryOf(rules, 'debug');
    if (debug !== undefined && valueOf(debug.value) === true) report(ignoredKey(debug));
  }
  for (const { node } of sitesOf(root)) {
    const mode = entryOf(entryOf(node, 'cache')?.value, 'mode');
    if (mode !== undefined && valueOf(mode.value) === 'semantic') report(semanticMode(mode));
    for (const { node: header, text } of textsOf(child(node, 'forward_headers'))) {
      const name = text.toLowerCase();
      const isGatewayHeader = gatewayPrefixes.some((prefix) => name.startsWith(prefix));
      if (!isGatewayHeader && isForwardable(name)) continue;
      report({
        code: 'bad-name',
        at: header.at,
        message: `the header "${text}" cannot be forwarded`,
        hint: isGatewayHeader ? gatewayHeaderHint : hintOn(name),
      });
    }
  }
}

const ignoredKey = ({ key, keyAt: at }: Entry): Problem => ({
  code: 'not-supported',
  severity: 'warning',
  at,
  message: `"${key}" has no effect in this version`,
  hint: 'remove it, or leave it for later',
});

const semanticMode = ({ value: { at } }: Entry): Problem => ({
  code: 'not-supported',
  severity: 'warning',
  at,
  message: 'the cache finds only equal requests, not similar ones: semantic works like simple',
  hint: 'write simple',
});

const gatewayHeaderHint = 'the gateway never forwards its own headers';

const hintOn = (name: string): string =>
  isRequestOverride(name)
    ? 'services read the caller, or another address, from it: remove it'
    : 'it belongs to a single connection or body: remove it';
