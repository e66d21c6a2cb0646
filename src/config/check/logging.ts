import { child } from '../read/node.ts';
import { compileFinder } from '../validate/regex.ts';
import { type CheckContext, entryOf, sitesOf, textsOf } from './context.ts';

/** Reports redaction patterns that cannot be used, and request log keys in targets, where they have no effect. */
export function checkLogging(context: CheckContext): void {
  const redact = child(child(child(context.root, 'logging'), 'requests'), 'redact');
  for (const { node, text } of textsOf(child(redact, 'patterns'))) {
    if (!text.startsWith('regex:')) continue;
    const finder = compileFinder(text.slice('regex:'.length));
    if (!('error' in finder)) continue;
    const message = `the pattern cannot be used: ${finder.error.replace(/^error parsing regexp: /, '')}`;
    const hint = finder.error.startsWith('error')
      ? 'patterns are RE2: check brackets and escapes'
      : 'write a pattern that matches at least one character';
    context.report({ code: 'bad-regex', at: node.at, message, hint });
  }
  for (const { node, parent } of sitesOf(context.root)) {
    if (parent === undefined) continue;
    for (const key of ['log', 'metadata']) {
      const entry = entryOf(node, key);
      if (entry === undefined) continue;
      const message = `"${key}" has no effect in a target`;
      context.report({ code: 'never-used', at: entry.keyAt, message, hint: 'move it to the config, next to "targets"' });
    }
  }
}
