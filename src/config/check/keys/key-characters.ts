import { child, type Entry, traverse } from '../../read/node.ts';
import { printableSecret } from '../../read/secrets.ts';
import { type CheckContext, sectionEntries, valueOf } from '../context.ts';

/** Characters that a header value may contain. A key with any other, such as a line break, could never be sent. */
const sendable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Reports keys from variables and files that contain extra characters pasted with them. The value is not shown. */
export function checkKeyCharacters({ root, report }: CheckContext): void {
  const checkKeys = (node: Entry['value'] | undefined): void => {
    if (node === undefined) return;
    traverse(node, (one, path) => {
      // Members of a body: JSON allows every character.
      if (path.at(-1) === 'override_params') return false;
      const key = path.at(-1) === 'api_key' ? valueOf(one) : undefined;
      if (typeof key !== 'string') return true;
      const name = one.kind === 'scalar' && one.resolved ? `the key ${printableSecret(one.text)}` : 'the key';
      if (!sendable.test(key))
        report({
          code: 'wrong-type',
          at: one.at,
          message: `${name} contains a line break or another character that is not allowed in a header`,
          hint: 'remove what was pasted with the key; the value is not shown here',
          show: 'none',
        });
      else if (key !== key.trim())
        report({
          code: 'wrong-type',
          severity: 'warning',
          at: one.at,
          message: `${name} begins or ends with spaces`,
          hint: 'remove them where the key is set; the value is not shown here',
          show: 'none',
        });
      return true;
    });
  };
  for (const name of ['providers', 'virtual_keys'])
    for (const { value } of sectionEntries(root, name).values()) if (valueOf(child(value, 'enabled')) !== false) checkKeys(value);
  checkKeys(child(root, 'configs'));
}
