import { placeholderCredentials } from '../../../core/http/headers.ts';
import { walkSecrets } from '../../read/secrets.ts';
import type { CheckContext } from '../context.ts';

/** A key in a file ends up in copies of the file. The value and its line are not shown. */
export function plainSecrets({ root, report }: CheckContext): void {
  walkSecrets(root, (node) => {
    if (
      node.resolved ||
      typeof node.value !== 'string' ||
      node.value === '' ||
      placeholderCredentials.has(node.value) ||
      node.text.includes('${')
    )
      return;
    const hint = 'use ${env:NAME} or ${file:/run/secrets/name}; the value is not shown here';
    report({ code: 'plain-secret', at: node.at, message: 'the key is written in the file', hint, show: 'none' });
  });
}
