import { itemsOf } from '../../../../config/read/node.ts';
import { CommandError, exitCodes } from '../../../command.ts';
import { type Conversion, type Converted, emptySections, type Sections } from '../conversion.ts';
import { SourceSection } from '../section.ts';
import { type AssignedDeployment, assignProviders } from './catalog.ts';
import { deploymentOf } from './deployment.ts';
import { generalReasons, litellmReasons, rootReasons, routerReasons } from './reasons.ts';
import { everyModel, type Groups, modelsConfig } from './routes.ts';
import { reportCallbacks, type RouterSettings, routerSettings } from './settings.ts';
import { takeDropParams } from './target-params.ts';
import { plural } from '../../../../core/text/wording.ts';

/** Name of the config that maps model names, and of the key that uses it. */
const config = 'models';
const masterKey = 'litellm-master';

/** Most targets of all fallbacks together. */
const maxTargets = 20_000;

/** Converts the configuration of the LiteLLM proxy. Several files are read as one: the first with a setting wins. */
export function convertLitellm(conversion: Conversion): Converted {
  const sections = emptySections();
  const { notes } = conversion;
  const root = new SourceSection(
    '',
    notes,
    conversion.sources.map((source) => source.root),
  );
  const lists = root.takeAll('model_list').flatMap((entry) => {
    if (entry.value.kind !== 'list') notes.unmapped('model_list', entry.keyAt, 'it is not a list');
    return itemsOf(entry.value);
  });
  const all = assignProviders(
    lists.flatMap((node) => deploymentOf(node, conversion) ?? []),
    sections.providers,
  );
  const groups = groupsOf(all, conversion);
  const section = (key: string): SourceSection =>
    new SourceSection(
      key,
      notes,
      root.takeAll(key).map(({ value }) => value),
    );
  const router = section('router_settings');
  const litellm = section('litellm_settings');
  const general = section('general_settings');
  const settings = routerSettings({ router, litellm, groups, notes });
  takeDropParams(litellm, notes);
  reportCallbacks(litellm, notes);
  const hasConfig = groups.size > 0;
  addMasterKey(general, sections, conversion, hasConfig);
  router.reportRemaining(routerReasons);
  litellm.reportRemaining(litellmReasons);
  general.reportRemaining(generalReasons);
  root.reportRemaining(rootReasons);
  const list = root.entry('model_list');
  if (list !== undefined && hasConfig && Object.keys(sections.api_keys).length === 0)
    notes.different('model_list', list.keyAt, `clients need a key with default_config: ${config}, or send x-gateway-config: ${config}`);
  limitTargets(groups, settings);
  if (hasConfig) sections.configs[config] = modelsConfig(groups, settings);
  return { sections, mapped: summary(groups, settings, sections) };
}

/** Deployments by name. Names with a wildcard are reported, except the name of every model. */
function groupsOf(all: readonly AssignedDeployment[], { notes }: Conversion): Groups {
  const groups = new Map<string, AssignedDeployment[]>();
  for (const one of all) {
    if (one.group !== everyModel && (one.group.includes('*') || one.alias.includes('*'))) {
      const text = `patterns of names are not supported: clients write @${one.slug}/MODEL, or add an entry for each model`;
      notes.unmapped('model_list[].model_name', one.node.at, text);
    } else groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
  }
  for (const deployments of groups.values()) {
    const without = deployments.find(({ weight }) => weight === undefined);
    if (without !== undefined && deployments.some(({ weight }) => weight !== undefined))
      notes.different('model_list[].litellm_params.weight', without.node.at, 'the weight of a deployment without one is 1, not 0');
  }
  return groups;
}

/** The master key stays a key of clients. Its hash is a variable, since the source may hold only a reference. */
function addMasterKey(general: SourceSection, { api_keys }: Sections, { notes, variables }: Conversion, hasConfig: boolean): void {
  const entry = general.take('master_key');
  if (entry === undefined) return;
  const path = general.pathOf('master_key');
  const note = 'the SHA-256 of the key in hex, of a key with 16 characters or more; better issue new keys with gateway keys create';
  api_keys[masterKey] = {
    hash: `sha256:${variables.needed('LITELLM_MASTER_KEY_SHA256', note, '0'.repeat(64))}`,
    ...(hasConfig ? { default_config: config } : {}),
  };
  notes.different(path, entry.keyAt, `api_keys.${masterKey}, for clients only: the admin API uses server.admin.token`);
}

/** @throws CommandError if every name with every fallback would be too much */
function limitTargets(groups: Groups, { fallbacks }: RouterSettings): void {
  const sizes = [...fallbacks.values()].flatMap((names) => names.map((name) => groups.get(name)?.length ?? 0));
  if (sizes.reduce((sum, size) => sum + size, 0) > maxTargets)
    throw new CommandError(exitCodes.no, `the fallbacks have more than ${maxTargets} targets in total`, 'Convert the file in parts.');
}

function summary(groups: Groups, { fallbacks }: RouterSettings, { providers, configs, api_keys }: Sections): string {
  const count = (section: object): number => Object.keys(section).length;
  const keys = count(api_keys);
  return [
    `${plural(groups.size, 'model')} → ${plural(count(providers), 'provider')}, ${plural(count(configs), 'config')}`,
    ...(fallbacks.size === 0 ? [] : [plural(fallbacks.size, 'fallback list')]),
    ...(keys === 0 ? [] : [`${plural(keys, 'key')} (hash only)`]),
  ].join(' · ');
}
