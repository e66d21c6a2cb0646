import { isOfType, splitReference, type StoredPrompt, type VariableType } from '../../../core/model/prompt.ts';
import { actualOf, expectedOf } from '../../validate/describe.ts';
import { child, type Entry, entriesOf, type Node, type SourceLocation, textOf, toValue } from '../../read/node.ts';
import { keysOfVersion } from '../../schema/prompts.ts';
import { callerRulesOf, type CheckContext, entryOf, lacks, sectionEntries, sitesOf, textsOf, valueOf } from '../context.ts';
import { messageTexts, type PromptSite, promptSites, promptsByName } from './sites.ts';
import { checkTemplates, resolveVersion } from './templates.ts';

/** Checks of prompts beyond their shape: versions, labels, templates, variables, references to them. */
export function checkPrompts(context: CheckContext): void {
  const sites = promptSites(context.root);
  const known = promptsByName(context.root, sites);
  for (const [id, { value, keyAt }] of sectionEntries(context.root, 'prompts')) checkVersions(id, value, keyAt, context);
  for (const site of sites) {
    checkVariables(site, context);
    checkParameters(site, context);
  }
  checkTemplates(sites, known, context);
  checkTargetReferences(known, context);
  reportUnused(sites, context);
}

/** Checks that a prompt has either one version inline or `versions`, and that published and labelled versions exist. */
function checkVersions(id: string, node: Node, keyAt: SourceLocation, { report }: CheckContext): void {
  if (node.kind !== 'map') return;
  const versions = entryOf(node, 'versions');
  if (versions === undefined && lacks(node, 'messages') && lacks(node, 'versions')) {
    const hint = 'add messages: [{role: user, content: "{{question}}"}], or versions: {1: {messages: […]}}';
    report({ code: 'missing-key', at: keyAt, message: `"messages" is missing in prompts.${id}`, hint });
  }
  if (versions !== undefined) {
    for (const key of keysOfVersion) {
      const conflicting = entryOf(node, key);
      if (conflicting === undefined) continue;
      report({
        code: 'conflict',
        at: conflicting.keyAt,
        message: `"${key}" cannot be combined with "versions"`,
        hint: 'a version is complete in itself: move it into one',
      });
    }
    if (versions.value.kind === 'map' && versions.value.entries.size === 0)
      report({
        code: 'missing-key',
        at: versions.keyAt,
        message: `prompts.${id} has no version`,
        hint: 'add versions: {1: {messages: […]}}',
      });
  }
  const numbers = versions === undefined ? ['1'] : entriesOf(versions.value).map(({ key }) => key);
  const named = [entryOf(node, 'published'), ...entriesOf(child(node, 'labels'))];
  for (const entry of named) {
    const number = valueOf(entry?.value);
    if (entry === undefined || typeof number !== 'number' || numbers.includes(String(number)) || numbers.length === 0) continue;
    report({
      code: 'unknown-reference',
      at: entry.value.at,
      message: `prompt "${id}" has no version ${number}`,
      hint: `defined: ${numbers.join(', ')}`,
    });
  }
}

function checkVariables({ node, path }: PromptSite, { isValid, report }: CheckContext): void {
  for (const { key, value } of entriesOf(child(node, 'variables'))) {
    const type = child(value, 'type');
    const defaultEntry = entryOf(value, 'default');
    const at = [...path, 'variables', key];
    if (defaultEntry === undefined || !isValid(at)) continue;
    const name = textOf(type) as VariableType | undefined;
    if (name !== undefined && !isOfType(toValue(defaultEntry.value), name)) {
      const actual = actualOf(defaultEntry.value, [...at, 'default']);
      report({
        code: 'wrong-type',
        at: defaultEntry.value.at,
        message: `the default of "${key}" is ${actual}, not ${expectedOf({ type: name })}`,
        hint: 'write a default of that type, or remove the type',
      });
    }
    const required = entryOf(value, 'required');
    if (required !== undefined && valueOf(required.value) === true)
      report({
        code: 'never-used',
        at: required.keyAt,
        message: `"required" has no effect on "${key}", which has a default`,
        hint: 'remove one of them',
      });
  }
}

/** Reports request fields that a prompt sets elsewhere, or that it cannot decide. */
function checkParameters({ node }: PromptSite, { report }: CheckContext): void {
  const found = (key: string): Entry | undefined => entryOf(child(node, 'parameters'), key);
  for (const key of ['model', 'messages', 'variables']) {
    const entry = found(key);
    if (entry === undefined) continue;
    report({ code: 'unknown-key', at: entry.keyAt, message: `"${key}" is not a parameter`, hint: `write ${key} next to parameters` });
  }
  const stream = found('stream');
  if (stream === undefined) return;
  const hint = 'the request decides whether its response is streamed';
  report({ code: 'never-used', at: stream.keyAt, message: '"stream" has no effect in a prompt', hint });
}

/** Checks version and label of `prompt_id` in targets. The name is checked with the other references. */
function checkTargetReferences(known: ReadonlyMap<string, StoredPrompt<PromptSite>>, context: CheckContext): void {
  for (const { node } of sitesOf(context.root)) {
    const written = child(node, 'prompt_id');
    const { id, suffix } = splitReference(textOf(written) ?? '');
    const prompt = known.get(id);
    if (written !== undefined && prompt !== undefined) resolveVersion(prompt, suffix, written.at, context);
  }
}

/** Reports prompts that no key may use. A prompt is open to every client, unless all keys are limited to other prompts. */
function reportUnused(sites: readonly PromptSite[], { root, report }: CheckContext): void {
  const callers = callerRulesOf(root);
  const allowed = new Set<string>();
  for (const caller of callers) {
    const list = child(child(caller, 'allow'), 'prompts');
    if (list === undefined) return;
    for (const { text } of textsOf(list)) allowed.add(text);
  }
  const all = sectionEntries(root, 'prompts');
  // An unknown name may be a misspelling of any prompt.
  if (callers.length === 0 || [...allowed].some((name) => !all.has(name))) return;
  for (const site of sites) for (const id of insertedPromptIds(site)) allowed.add(id);
  for (const [id, { keyAt }] of all) {
    if (allowed.has(id)) continue;
    const hint = 'name it in allow: {prompts: […]} of a key, or remove it';
    report({ code: 'never-used', at: keyAt, message: `no API key may use the prompt "${id}"`, hint });
  }
}

/** Ids of the prompts that the templates of a version may insert. */
function insertedPromptIds(site: PromptSite): string[] {
  const partials = entriesOf(child(site.node, 'partials')).map(({ value }) => textOf(value) ?? '');
  const texts = [...messageTexts(site).map(({ value }) => String(value)), ...partials];
  return texts.flatMap((text) => [...text.matchAll(/\{\{>\s*([^\s@}]+)/g)].map((match) => match[1] ?? ''));
}
