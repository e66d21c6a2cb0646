import { publicNames, visitPlainSecrets } from '../../read/secrets.ts';
import type { CheckContext } from '../context.ts';

/** A variable reference in the syntax of shells and other gateways: it would be sent as the key. No real key looks like this. */
const otherReference = /^(?:os\.environ\/|env[:/.]|\$)([A-Z][A-Z0-9]*_[A-Z0-9_]+)$/;

/** Reports keys written in the file, because they end up in every copy of it. The value and its line are not shown. */
export function checkPlainSecrets({ root, registry, report }: CheckContext): void {
  visitPlainSecrets(root, publicNames(root, registry.providers), (node, value) => {
    const variable = otherReference.exec(value)?.[1];
    if (variable !== undefined) {
      const hint = `write \${env:${variable}}`;
      report({ code: 'unknown-reference', at: node.at, message: 'the key is the name of a variable, not a reference to it', hint });
      return;
    }
    const hint = 'use ${env:NAME} or ${file:/run/secrets/name}; the value is not shown here';
    report({ code: 'plain-secret', at: node.at, message: 'the key is written in the file', hint, show: 'none' });
  });
}
