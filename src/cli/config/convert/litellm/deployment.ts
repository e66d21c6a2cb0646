import type { Node } from '../../../../config/read/node.ts';
import { sampleAddress } from '../addresses.ts';
import type { Conversion } from '../conversion.ts';
import { SourceSection } from '../section.ts';
import { escaped, type Variables } from '../variables.ts';
import { addressOf, providerSlug } from './address.ts';
import { secretsOf } from './credentials.ts';
import { paramReasons, modelInfoReasons } from './reasons.ts';
import { isOpenAiModel, type Service } from './services.ts';
import { serviceOf } from './service-of.ts';
import { takeDropParams, targetParams } from './target-params.ts';

/** One entry of `model_list`: a provider and a model. */
export interface Deployment {
  /** Name that clients use. */
  readonly group: string;
  readonly type: string;
  readonly slugBase: string;
  /** Entry of `providers`, without deployments. */
  readonly provider: Record<string, unknown>;
  /** Model as the provider names it; '*' for the model of the request. */
  readonly model: string;
  /** Entry below `deployments`, if the type lists them. */
  readonly row: Record<string, unknown> | undefined;
  readonly weight: number | undefined;
  readonly node: Node;
  /** Members of the target besides provider and model. */
  readonly target: Record<string, unknown>;
}

const path = 'model_list[]';

/** Undefined if the entry cannot be used; then the reason was reported. */
export function deploymentOf(node: Node, conversion: Conversion): Deployment | undefined {
  const { notes, variables } = conversion;
  const entry = new SourceSection(path, notes, [node]);
  const name = entry.text('model_name');
  const paramsNode = entry.take('litellm_params')?.value;
  const params = new SourceSection(`${path}.litellm_params`, notes, [paramsNode]);
  const info = new SourceSection(`${path}.model_info`, notes, [entry.take('model_info')?.value]);
  entry.reportRemaining({});
  const model = params.text('model');
  if (name === undefined || model === undefined) {
    notes.unmapped(path, node.at, 'the entry was left out: it needs model_name and litellm_params.model');
    return undefined;
  }
  const found = serviceOf(model.value, params.text('custom_llm_provider')?.value, conversion);
  if ('problem' in found) {
    notes.unmapped(`${path}.litellm_params.model`, model.entry.keyAt, `the entry was left out: ${found.problem}`);
    return undefined;
  }
  const { service, provider: known } = found;
  const address = addressOf(params, service, known, conversion);
  const { model: bare, region } = regional(found.model, service);
  const settings = { ...region, ...settingsOf(params, service, variables) };
  const slugBase = providerSlug(service.type, address, settings);
  const usualKey = known.entry.apiKey === 'required' ? known.entry.service?.keyVariable : undefined;
  const secrets = secretsOf(params, service, slugBase, conversion, usualKey);
  const defaults = environmentDefaults({ ...address, ...settings, ...secrets }, service, variables);
  const weight = params.number('weight');
  const target = targetParams(params, notes);
  takeDropParams(params, notes);
  params.reportRemaining(paramReasons);
  const baseModel = info.text('base_model')?.value.replace(/^[a-z_]+\//, '');
  info.reportRemaining(modelInfoReasons);
  const row =
    service.hasDeployments === true && bare !== '*' ? rowOf(bare, baseModel ?? [name.value, bare].find(isOpenAiModel)) : undefined;
  return {
    group: name.value,
    type: service.type,
    slugBase,
    provider: {
      type: service.type,
      ...(service.isNamed === true ? { name: slugBase } : {}),
      ...address,
      ...settings,
      ...defaults,
      ...secrets,
    },
    model: escaped(bare),
    row,
    weight: weight?.value,
    node,
    target,
  };
}

/** Values of the right form, to check settings that are variables. */
const samples: Readonly<Record<string, string>> = { region: 'us-east-1', api_version: '2024-10-21', custom_host: sampleAddress };

/** Settings that another one determines. */
const impliedBy: Readonly<Record<string, readonly string[]>> = {
  custom_host: ['custom_host', 'resource_name', 'foundry_url'],
  project: ['project', 'service_account'],
};

function settingsOf(params: SourceSection, service: Service, variables: Variables): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [from, to] of Object.entries(service.settings ?? {})) {
    const one = params.text(from);
    if (one !== undefined) found[to] = variables.setting(one.value, samples[to] ?? 'sample');
  }
  return found;
}

/** Settings that LiteLLM reads from the environment if they are not set. */
function environmentDefaults(
  set: Readonly<Record<string, unknown>>,
  { settingVariables: usual = {}, basePath = '' }: Service,
  variables: Variables,
): Record<string, string> {
  const isSet = (name: string): boolean => (impliedBy[name] ?? [name]).some((one) => set[one] !== undefined);
  const missing = Object.entries(usual).filter(([name]) => !isSet(name));
  const value = (name: string, variable: string): string =>
    `${variables.byDefault(variable, samples[name] ?? 'sample')}${name === 'custom_host' ? basePath : ''}`;
  return Object.fromEntries(missing.map(([name, variable]) => [name, value(name, variable)]));
}

/** A model of Bedrock may have its region before it. */
function regional(model: string, { type }: Service): { readonly model: string; readonly region: { readonly region?: string } } {
  const [whole = '', region] = (type === 'bedrock' ? /^([a-z]{2,6}(?:-[a-z]+)+-\d{1,2})\// : /^$/).exec(model) ?? [];
  return { model: model.slice(whole.length), region: region === undefined ? {} : { region } };
}

const rowOf = (id: string, model: string | undefined): Record<string, unknown> => ({
  deployment_id: escaped(id),
  ...(model === undefined ? {} : { foundation_model: escaped(model) }),
});
