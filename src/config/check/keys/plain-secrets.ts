import { placeholderCredentials } from '../../../core/http/headers.ts';
import { publicNames, walkSecrets } from '../../read/secrets.ts';
import type { CheckContext } from '../context.ts';

/** A variable as shells and other gateways write it: the text itself would be sent as the key. No key looks like one. */
const otherReference = /^(?:os\.environ\/|env[:/.]|\$)([A-Z][A-Z0-9]*_[A-Z0-9_]+)$/;

/** A key in a file ends up in copies of the file. The value and its line are not shown. */
export function plainSecrets({ root, registry, report }: CheckContext): void {
  const names = publicNames(root, registry.providers);
  walkSecrets(root, (node) => {
    if (
      node.resolved ||
      typeof node.value !== 'string' ||
      node.value === '' ||
      placeholderCredentials.has(node.value) ||
      names.has(node.value) ||
      node.text.includes('${')
    )
      return;
    const variable = otherReference.exec(node.value)?.[1];
    if (variable !== undefined) {
      const hint = `write \${env:${variable}}`;
      report({ code: 'unknown-reference', at: node.at, message: 'the key is the name of a variable, not a reference to it', hint });
      return;
    }
    const hint = 'use ${env:NAME} or ${file:/run/secrets/name}; the value is not shown here';
    report({ code: 'plain-secret', at: node.at, message: 'the key is written in the file', hint, show: 'none' });
  });
}
