import { isJsonObject } from '../../../core/json/merge.ts';
import type { FileRules } from './conversion.ts';

/**
 * Checks all `gs:` addresses in a JSON value, at any depth. The service decides which member it reads, and which spelling it
 * prefers, so none is left out.
 *
 * @param param the path of the value in the body, for error messages
 * @throws GatewayError `not_allowed`, `invalid_value`
 */
export function checkFileReferences(value: unknown, param: string, rules: FileRules): void {
  if (typeof value === 'string') {
    // URL parsers remove surrounding whitespace, and line breaks anywhere (WHATWG URL 4.4).
    if (!leadingG.test(value)) return;
    const address = value.replaceAll(/[\t\n\r]/g, '').replace(leadingG, 'g');
    if (/^gs:/i.test(address)) rules.check(address.trim(), param);
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) checkFileReferences(one, `${param}[${index}]`, rules);
  } else if (isJsonObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      // Plain text is not a reference.
      if (name !== 'text' || typeof one !== 'string') checkFileReferences(one, `${param}.${name}`, rules);
    }
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const leadingG = /^[\s\x00-\x20]*g/i;
