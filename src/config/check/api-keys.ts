import { child, textOf } from '../node.ts';
import { type CheckContext, entryOf, section, valueOf } from './context.ts';

/** What an API key needs beyond its shape. */
export function apiKeys({ root, valid, report }: CheckContext): void {
  for (const [name, { value }] of section(root, 'api_keys')) {
    const enforce = entryOf(value, 'enforce_config');
    if (enforce !== undefined && valueOf(enforce.value) === true && entryOf(value, 'default_config') === undefined) {
      report({
        code: 'missing-key',
        at: enforce.keyAt,
        message: `"default_config" is missing in api_keys.${name}`,
        hint: 'add default_config: the config that is enforced',
      });
    }
    const expires = child(value, 'expires');
    const text = textOf(expires);
    if (expires === undefined || text === undefined || !valid(['api_keys', name, 'expires']) || isDay(text)) continue;
    report({
      code: 'out-of-range',
      at: expires.at,
      message: `"${text}" is no day of the calendar`,
      hint: 'write a date such as 2027-03-01',
    });
  }
}

/** `Date` takes the 31st of February for the 3rd of March: the day must survive. */
function isDay(text: string): boolean {
  const at = Date.parse(text);
  const day = text.slice(0, 10);
  return !Number.isNaN(at) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
