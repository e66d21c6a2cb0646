import { apiKeys } from './keys/api-keys.ts';
import { chain } from './chain.ts';
import { circuits } from './targets/circuits.ts';
import { conflicts } from './targets/conflicts.ts';
import type { CheckContext, Rule } from './context.ts';
import { cors } from './keys/cors.ts';
import { cycles } from './targets/cycles.ts';
import { deprecated } from './deprecated.ts';
import { adminUsers, exposed, exposedAdmin } from './keys/exposed.ts';
import { hosts } from './providers/hosts.ts';
import { keyCharacters } from './keys/key-characters.ts';
import { logging } from './logging.ts';
import { names } from './names.ts';
import { paths } from './paths.ts';
import { plainSecrets } from './keys/plain-secrets.ts';
import { pricing } from './pricing.ts';
import { prompts } from './prompts/index.ts';
import { providers } from './providers/index.ts';
import { queries } from './targets/queries.ts';
import { references } from './targets/references.ts';
import { servedModels } from './targets/served-models.ts';
import { sentValues } from './sent-values.ts';
import { serving } from './targets/serving.ts';
import { store } from './store.ts';
import { strategies } from './targets/strategies.ts';
import { tokens } from './keys/tokens.ts';
import { unreachable } from './targets/unreachable.ts';
import { unsupported } from './targets/unsupported.ts';
import { virtualKeys } from './keys/virtual-keys.ts';

/** Checks that a schema cannot express, one rule per file. */
const rules: readonly Rule[] = [
  names,
  references,
  cycles,
  strategies,
  circuits,
  unreachable,
  conflicts,
  queries,
  sentValues,
  prompts,
  providers,
  servedModels,
  pricing,
  virtualKeys,
  hosts,
  apiKeys,
  tokens,
  chain,
  serving,
  exposed,
  exposedAdmin,
  adminUsers,
  paths,
  cors,
  plainSecrets,
  keyCharacters,
  deprecated,
  logging,
  store,
  unsupported,
];

/** Runs every rule over the merged tree. */
export function check(context: CheckContext): void {
  for (const rule of rules) rule(context);
}
