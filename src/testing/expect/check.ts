import { entriesOf, type Entry, itemsOf, type Node, nodeAt, textOf, toValue } from '../../config/read/node.ts';
import { tryParseJson } from '../../core/json/scan.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { plural } from '../../core/text/wording.ts';
import type { TestOutcome } from '../run/outcome.ts';
import type { Failure } from '../test-case.ts';
import { partFailures, valueAt } from './part.ts';
import { parseAttempts, formatAttempts, formatValue } from './format.ts';

/** Returns what is not as the test expects, in the order of the file. */
export function failuresOf(test: Node, outcome: TestOutcome, slugs: readonly string[]): readonly Failure[] {
  const expected = entriesOf(nodeAt(test, ['expect']));
  return [...scriptFailures(test, outcome, slugs), ...expected.flatMap((entry) => checks[entry.key]?.(entry, outcome) ?? [])];
}

/** Scripts of providers that do not exist, and scripts that are too short. */
function scriptFailures(test: Node, { attempts, overruns }: TestOutcome, slugs: readonly string[]): readonly Failure[] {
  const known = new Set([...slugs, ...attempts]);
  return entriesOf(nodeAt(test, ['upstream'])).flatMap(({ key, keyAt }): readonly Failure[] => {
    const what = `upstream.${key}`;
    if (!known.has(key))
      return [{ what, expected: 'a provider of the configuration', got: `none has this name.${didYouMean(key, slugs)}`, at: keyAt }];
    return overruns
      .filter(({ slug }) => slug === key)
      .map(({ entries, requests }) => ({
        what,
        expected: `at most ${plural(entries, 'request')}, one for each entry`,
        got: String(requests),
        at: keyAt,
      }));
  });
}

type Check = (entry: Entry, outcome: TestOutcome) => readonly Failure[];

/** A failure if two values differ. @param result what happened, if the value alone does not say it */
function compareScalars({ key, value }: Entry, expected: unknown, got: unknown, result = scalarText(got)): readonly Failure[] {
  return expected === got ? [] : [{ what: key, expected: scalarText(expected), got: result, at: value.at }];
}

const scalarText = (value: unknown): string => (typeof value === 'string' ? value : formatValue(value));

const checks: Readonly<Record<string, Check>> = {
  status: (entry, outcome) => compareScalars(entry, toValue(entry.value), outcome.status, resultText(outcome)),
  'error.code': (entry, outcome) => compareScalars(entry, toValue(entry.value), outcome.error?.code ?? null, resultText(outcome)),
  attempts: (entry, { attempts }) =>
    compareScalars(
      entry,
      formatAttempts(itemsOf(entry.value).flatMap((item) => parseAttempts(textOf(item) ?? ''))),
      formatAttempts(attempts),
    ),
  target: (entry, { target }) => compareScalars(entry, toValue(entry.value), target),
  sent: ({ value }, { sent }) => (sent === undefined ? [nothingSent('sent', value)] : partFailures('sent', value, jsonOf(sent))),
  not_sent: ({ value }, { sent }) => {
    if (sent === undefined) return [nothingSent('not_sent', value)];
    const body = jsonOf(sent);
    return itemsOf(value).flatMap((item) => {
      const name = textOf(item) ?? '';
      const got = valueAt(body, name);
      return got === undefined ? [] : [{ what: `not_sent.${name}`, expected: 'nothing', got: formatValue(got), at: item.at }];
    });
  },
  headers: ({ value }, { headers }) =>
    entriesOf(value).flatMap(({ key, value: node }) => {
      const expected = toValue(node);
      const got = headers.get(key.toLowerCase());
      if (expected === null ? got === undefined : got === String(expected)) return [];
      return [{ what: `headers.${key}`, expected: expected === null ? 'nothing' : String(expected), got: formatValue(got), at: node.at }];
    }),
  body: ({ value }, { body }) => {
    const text = textOf(value);
    if (text === undefined) return partFailures('body', value, jsonOf(body));
    return body.includes(text)
      ? []
      : [{ what: 'body', expected: `a text with "${formatValue(text)}"`, got: formatValue(body), at: value.at }];
  },
};

const nothingSent = (what: string, { at }: Node): Failure => ({ what, expected: 'a request to a provider', got: 'none was sent', at });

/** JSON, or else the text. */
function jsonOf(text: string): unknown {
  return tryParseJson(text) ?? text;
}

/** For example `200 from azure-eu`, or `400 no_target: The request names no provider.` */
function resultText({ status, error, provider }: TestOutcome): string {
  if (error !== undefined) return `${status} ${error.code}: ${formatValue(error.message)}`;
  return provider === null ? String(status) : `${status} from ${provider}`;
}
