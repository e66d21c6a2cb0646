import { entriesOf, type Entry, itemsOf, type Node, nodeAt, textOf, toValue } from '../../config/read/node.ts';
import { parsedJson } from '../../core/json/scan.ts';
import { didYouMean } from '../../core/text/nearest.ts';
import { plural } from '../../core/text/plural.ts';
import type { TestOutcome } from '../run/outcome.ts';
import type { Failure } from '../test-case.ts';
import { partFailures, valueAt } from './part.ts';
import { attemptsOf, attemptsText, shown } from './shown.ts';

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
function compared({ key, value }: Entry, expected: unknown, got: unknown, result = scalarText(got)): readonly Failure[] {
  return expected === got ? [] : [{ what: key, expected: scalarText(expected), got: result, at: value.at }];
}

const scalarText = (value: unknown): string => (typeof value === 'string' ? value : shown(value));

const checks: Readonly<Record<string, Check>> = {
  status: (entry, outcome) => compared(entry, toValue(entry.value), outcome.status, resultText(outcome)),
  'error.code': (entry, outcome) => compared(entry, toValue(entry.value), outcome.error?.code ?? null, resultText(outcome)),
  attempts: (entry, { attempts }) =>
    compared(entry, attemptsText(itemsOf(entry.value).flatMap((item) => attemptsOf(textOf(item) ?? ''))), attemptsText(attempts)),
  target: (entry, { target }) => compared(entry, toValue(entry.value), target),
  sent: ({ value }, { sent }) => (sent === undefined ? [nothingSent('sent', value)] : partFailures('sent', value, jsonOf(sent))),
  not_sent: ({ value }, { sent }) => {
    if (sent === undefined) return [nothingSent('not_sent', value)];
    const body = jsonOf(sent);
    return itemsOf(value).flatMap((item) => {
      const name = textOf(item) ?? '';
      const got = valueAt(body, name);
      return got === undefined ? [] : [{ what: `not_sent.${name}`, expected: 'nothing', got: shown(got), at: item.at }];
    });
  },
  headers: ({ value }, { headers }) =>
    entriesOf(value).flatMap(({ key, value: node }) => {
      const wanted = toValue(node);
      const got = headers.get(key.toLowerCase());
      if (wanted === null ? got === undefined : got === String(wanted)) return [];
      return [{ what: `headers.${key}`, expected: wanted === null ? 'nothing' : String(wanted), got: shown(got), at: node.at }];
    }),
  body: ({ value }, { body }) => {
    const text = textOf(value);
    if (text === undefined) return partFailures('body', value, jsonOf(body));
    return body.includes(text) ? [] : [{ what: 'body', expected: `a text with "${shown(text)}"`, got: shown(body), at: value.at }];
  },
};

const nothingSent = (what: string, { at }: Node): Failure => ({ what, expected: 'a request to a provider', got: 'none was sent', at });

/** JSON, or else the text. */
function jsonOf(text: string): unknown {
  return parsedJson(text) ?? text;
}

/** For example `200 from azure-eu`, or `400 no_target: The request names no provider.` */
function resultText({ status, error, provider }: TestOutcome): string {
  if (error !== undefined) return `${status} ${error.code}: ${shown(error.message)}`;
  return provider === null ? String(status) : `${status} from ${provider}`;
}
