import { dirname, resolve } from 'node:path';
import { maxConfigFile, readText, reasonOf } from '../../config/read/files.ts';
import { entriesOf, type Node, nodeAt, textOf, toValue } from '../../config/read/node.ts';
import type { ProblemReporter } from '../../config/report/problem.ts';
import { isJsonObject, type JsonObject } from '../../core/json/merge.ts';
import type { ScriptEntry, TestCase, TestRequest } from '../test-case.ts';
import { reportUnused } from './unused-keys.ts';

/** The test that a valid node describes. Reads the files that it names. */
export function caseOf(node: Node, report: ProblemReporter): TestCase {
  reportUnused(node, report);
  const request = nodeAt(node, ['request']);
  const upstream = entriesOf(nodeAt(node, ['upstream']));
  return {
    name: textOf(nodeAt(node, ['name'])) ?? '',
    request: request === undefined ? {} : (withBody(request, report) as TestRequest),
    upstream: Object.fromEntries(upstream.map(({ key, value }) => [key, scriptOf(value, report)])),
    node,
  };
}

const scriptOf = (node: Node, report: ProblemReporter): ScriptEntry | readonly ScriptEntry[] =>
  node.kind === 'list' ? node.items.map((item) => withBody(item, report) as ScriptEntry) : (withBody(node, report) as ScriptEntry);

/** The value of a request or response, whose `body: {file: …}` is replaced by the text of the file. */
function withBody(node: Node, report: ProblemReporter): unknown {
  const value = toValue(node);
  const body = nodeAt(node, ['body']);
  const file = fileIn(body);
  if (!isJsonObject(value) || file === undefined) return value;
  const path = resolve(dirname(file.at.file.path), file.name);
  try {
    return { ...value, body: readText(path, maxConfigFile) } satisfies JsonObject;
  } catch (error) {
    const { at, name } = file;
    report({
      code: 'unreadable-file',
      at,
      message: `the file "${name}" cannot be read (${reasonOf(error)})`,
      hint: `it is searched at ${path}`,
    });
    return value;
  }
}

/** The file that a body names. A mapping with further keys is a body. */
function fileIn(body: Node | undefined): { readonly name: string; readonly at: Node['at'] } | undefined {
  const entries = entriesOf(body);
  const [only] = entries;
  const name = textOf(only?.value);
  return entries.length === 1 && only?.key === 'file' && name !== undefined ? { name, at: only.value.at } : undefined;
}
