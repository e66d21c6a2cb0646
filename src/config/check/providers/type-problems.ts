import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import type { CommonSettings, Provider, SettingsProblem } from '../../../core/provider.ts';
import { lowerFirst, withoutFullStop } from '../../../core/text/wording.ts';
import { settingsOf } from '../../compile/providers/entry-settings.ts';
import { keyLocation, type MapNode, type Node, nodeAt, type Path, type SourceLocation, toValue } from '../../read/node.ts';
import type { ProblemReporter } from '../../report/problem.ts';

/** A provider entry as settings for its type. */
export function settingsIn(node: Node, provider: Provider): CommonSettings & JsonObject {
  const value = toValue(node);
  return isJsonObject(value) ? settingsOf(value, provider) : {};
}

/** Problems that the type itself finds. The check of an external type may throw, which is reported. */
export function problemsOf(
  provider: Provider,
  settings: CommonSettings & JsonObject,
  at: SourceLocation,
  report: ProblemReporter,
): readonly SettingsProblem[] {
  try {
    return provider.entry.check?.(settings) ?? [];
  } catch (error) {
    report({ code: 'bad-plugin', at, message: `the check of type ${provider.type} failed: ${(error as Error).message}` });
    return [];
  }
}

/** Hints of types are sentences; hints of this report start in lower case and have no full stop. */
export function reportProblem({ code, message, hint, severity }: SettingsProblem, at: SourceLocation, report: ProblemReporter): void {
  report({
    code,
    severity,
    at,
    message: withoutFullStop(message),
    hint: hint === undefined ? undefined : lowerFirst(withoutFullStop(hint)),
  });
}

/** Location of a problem: the value at the path, or the deepest existing key above it. */
export function problemLocation(root: MapNode, path: Path, code: SettingsProblem['code']): SourceLocation {
  const node = nodeAt(root, path);
  return node === undefined || code === 'missing-key' ? nearestKey(root, path) : node.at;
}

/** Location of the key at this path, or of the deepest key above it that exists. */
function nearestKey(root: Node, path: Path): SourceLocation {
  let at = path;
  while (at.length > 0 && nodeAt(root, at) === undefined) at = at.slice(0, -1);
  return keyLocation(root, at);
}
