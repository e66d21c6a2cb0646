import { isJsonObject, type JsonObject } from '../../../core/json/merge.ts';
import { choosePrompt, type PromptVariable, type PromptVersion, type StoredPrompt, type Versioned } from '../../../core/model/prompt.ts';
import type { PromptEntry } from '../../schema/index.ts';
import { nonTemplateKeys } from '../../validate/template.ts';
import { deepFreeze } from '../freeze.ts';
import { invalidConfig } from '../invalid.ts';
import { linkTemplates, type PromptSource } from './link.ts';
import type { Steps } from '../../../core/async/steps.ts';
import { type RenderBudget, type Part, render, createRenderBudget } from './render.ts';

/** Fields of a chat completion that a prompt cannot set as parameters. */
const excludedParameters: ReadonlySet<string> = new Set(['messages', 'model', 'stream', 'variables']);

/**
 * Compiles `prompts:`. Each template is parsed here, once.
 * @throws GatewayError `invalid_config` for errors that the checks do not find
 */
export function* compilePrompts(entries: Readonly<Record<string, PromptEntry>> = {}): Steps<ReadonlyMap<string, StoredPrompt>> {
  const sources = new Map(Object.entries(entries).map(([id, entry]) => [id, storedPrompt(id, sourcesOf(id, entry), entry)]));
  const prompts = new Map<string, StoredPrompt>();
  for (const [id, source] of sources) {
    prompts.set(id, compilePrompt(source, sources));
    yield;
  }
  return prompts;
}

/** A version written inline, without `versions`, is version 1. */
function sourcesOf(id: string, entry: PromptEntry): Map<number, PromptSource> {
  const { versions, published: _published, labels: _labels, messages, ...rest } = entry;
  const written = versions ?? (messages === undefined ? {} : { 1: { ...rest, messages } });
  return new Map(Object.entries(written).map(([number, version]) => [Number(number), { id, number: Number(number), entry: version }]));
}

function storedPrompt<V extends Versioned>(
  id: string,
  versions: ReadonlyMap<number, V>,
  { published, labels = {} }: Pick<PromptEntry, 'published' | 'labels'>,
): StoredPrompt<V> {
  const version = (number: number): V => versions.get(number) ?? missing(id, number);
  return {
    id,
    published: version(published ?? Math.max(...versions.keys())),
    versions,
    labels: new Map(Object.entries(labels).map(([label, number]) => [label, version(number)])),
  };
}

function missing(id: string, number: number): never {
  throw invalidConfig(`prompt "${id}" has no version ${number}`, undefined, `prompts.${id}`);
}

function compilePrompt(source: StoredPrompt<PromptSource>, sources: ReadonlyMap<string, StoredPrompt<PromptSource>>): StoredPrompt {
  const versions = new Map([...source.versions].map(([number, version]) => [number, compileVersion(version, sources)]));
  const labels = Object.fromEntries([...source.labels].map(([label, { number }]) => [label, number]));
  return Object.freeze(storedPrompt(source.id, versions, { published: source.published.number, labels }));
}

function compileVersion(source: PromptSource, sources: ReadonlyMap<string, StoredPrompt<PromptSource>>): PromptVersion {
  const { id, number, entry } = source;
  const linked = linkTemplates(source, (reference) => choosePrompt(sources, reference).version);
  const template = (text: string): readonly Part[] | undefined => linked.template(text);
  const builders = entry.messages.map((message) => builderOf(message, template) ?? constant(deepFreeze(message)));
  return Object.freeze({
    id,
    number,
    model: entry.model,
    parameters: deepFreeze(Object.fromEntries(Object.entries(entry.parameters ?? {}).filter(([key]) => !excludedParameters.has(key)))),
    config: entry.config,
    metadata: deepFreeze({ ...entry.metadata }),
    variables: variablesIn([source, ...linked.included]),
    prints: linked.prints,
    reads: linked.reads,
    messages: (values: JsonObject, most: number) => {
      const budget = createRenderBudget(most);
      return builders.map((build) => build(values, budget) as JsonObject);
    },
  });
}

/** Variables of a prompt and of the prompts that it inserts. The prompt's own declaration takes precedence. */
function variablesIn(sources: readonly PromptSource[]): ReadonlyMap<string, PromptVariable> {
  const variables = new Map<string, PromptVariable>();
  for (const { entry } of sources) {
    for (const [name, written] of Object.entries(entry.variables ?? {})) {
      if (variables.has(name)) continue;
      variables.set(name, deepFreeze({ type: written.type, required: written.required ?? false, default: written.default }));
    }
  }
  return variables;
}

type ValueBuilder = (values: JsonObject, budget: RenderBudget) => unknown;

const constant =
  (value: unknown): ValueBuilder =>
  (): unknown =>
    value;

/** Function that builds a value with its templates rendered; undefined when the value has none. Mappings and lists keep their shape. */
function builderOf(value: unknown, template: (text: string) => readonly Part[] | undefined): ValueBuilder | undefined {
  if (typeof value === 'string') {
    const parts = template(value);
    return parts === undefined ? undefined : (values, meter) => render(parts, values, meter);
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => builderOf(item, template) ?? constant(deepFreeze(item)));
    return (values, meter) => items.map((build) => build(values, meter));
  }
  if (!isJsonObject(value)) return undefined;
  const members = Object.entries(value).map(([key, member]): [string, ValueBuilder] => [
    key,
    (nonTemplateKeys.has(key) ? undefined : builderOf(member, template)) ?? constant(deepFreeze(member)),
  ]);
  return (values, meter) => Object.fromEntries(members.map(([key, build]) => [key, build(values, meter)]));
}
