import type { Deployment, ListedModel, SettingsProblem } from '#core/provider.ts';
import { customHostProblems } from '../_shared/address.ts';
import type { BedrockSettings } from './settings.ts';

/** Returns the row for a model name. Any other name is the id of a model or a profile, or an ARN. */
export function deployment({ deployments }: BedrockSettings, model: string): Deployment {
  const row = deployments !== undefined && Object.hasOwn(deployments, model) ? deployments[model] : undefined;
  if (row === undefined) return { settings: undefined, model };
  const foundation = row.foundation_model;
  return { settings: undefined, model: row.model_id, ...(foundation === undefined ? {} : { foundationModel: foundation }) };
}

/** Names that clients can use. */
export const models = ({ deployments = {} }: BedrockSettings): readonly ListedModel[] =>
  Object.entries(deployments).map(([id, { foundation_model: foundationModel }]) =>
    foundationModel === undefined ? { id } : { id, foundationModel },
  );

/** ARNs that do not contain the name of the model (Bedrock User Guide, "Inference profiles"). */
const opaqueArn = /:(?:application-inference-profile|provisioned-model|custom-model-deployment|imported-model|prompt-router)\//;

export function check(settings: BedrockSettings): readonly SettingsProblem[] {
  const problems: SettingsProblem[] = [...customHostProblems(settings.custom_host)];
  const { access_key_id: id, secret_access_key: secret, session_token: token, auth } = settings;
  const pairs: readonly (readonly [string, boolean, string])[] = [
    ['access_key_id', secret !== undefined && id === undefined, 'secret_access_key'],
    ['secret_access_key', id !== undefined && secret === undefined, 'access_key_id'],
    ['access_key_id', token !== undefined && id === undefined && secret === undefined, 'session_token'],
  ];
  for (const [missing, isMissing, present] of pairs) {
    if (!isMissing) continue;
    problems.push({
      path: [present],
      code: 'missing-key',
      message: `"${present}" needs "${missing}", which is missing`,
      hint: `add ${missing}`,
    });
  }
  if (auth !== undefined && (id !== undefined || secret !== undefined)) {
    const message = `auth: {mode: ${auth.mode}} and an access key are both set; the access key is not used`;
    problems.push({ path: ['access_key_id'], code: 'conflict', message, hint: 'remove one of them' });
  }
  for (const [name, row] of Object.entries(settings.deployments ?? {})) {
    if (!opaqueArn.test(row.model_id) || row.foundation_model !== undefined) continue;
    problems.push({
      path: ['deployments', name, 'model_id'],
      code: 'missing-key',
      severity: 'warning',
      message: 'the ARN does not contain the name of the model, which its price and its parameter rules depend on',
      hint: 'add foundation_model, for example anthropic.claude-sonnet-4-6',
    });
  }
  return problems;
}
