import { child } from '../../read/node.ts';
import { type CheckContext, sectionEntries, textsOf } from '../context.ts';

/** Reports that every web page may send requests while the gateway asks for no key. */
export function checkCors({ root, report }: CheckContext): void {
  if (sectionEntries(root, 'api_keys').size > 0 || child(child(root, 'auth'), 'jwt') !== undefined) return;
  const any = textsOf(child(child(child(root, 'server'), 'cors'), 'origins')).find(({ text }) => text === '*');
  if (any === undefined) return;
  report({
    code: 'exposed',
    severity: 'error',
    at: any.node.at,
    message: 'every web page could use your provider credentials: no API key is defined',
    hint: 'name the origins of your pages, or define api_keys',
  });
}
