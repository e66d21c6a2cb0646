import { apiKeys } from './api-keys.ts';
import { chain } from './chain.ts';
import { conflicts } from './conflicts.ts';
import type { CheckContext, Rule } from './context.ts';
import { cors } from './cors.ts';
import { cycles } from './cycles.ts';
import { deprecated } from './deprecated.ts';
import { exposed } from './exposed.ts';
import { hosts } from './hosts.ts';
import { names } from './names.ts';
import { paths } from './paths.ts';
import { plainSecrets } from './plain-secrets.ts';
import { prompts } from './prompts.ts';
import { providers } from './providers.ts';
import { queries } from './queries.ts';
import { references } from './references.ts';
import { servedModels } from './served-models.ts';
import { serving } from './serving.ts';
import { strategies } from './strategies.ts';
import { tokens } from './tokens.ts';
import { unreachable } from './unreachable.ts';
import { unsupported } from './unsupported.ts';
import { virtualKeys } from './virtual-keys.ts';

/** Everything that a schema cannot say: one rule a file. */
const rules: readonly Rule[] = [
  names,
  references,
  cycles,
  strategies,
  unreachable,
  conflicts,
  queries,
  prompts,
  providers,
  servedModels,
  virtualKeys,
  hosts,
  apiKeys,
  tokens,
  chain,
  serving,
  exposed,
  paths,
  cors,
  plainSecrets,
  deprecated,
  unsupported,
];

/** Runs every rule over the merged tree. */
export function check(context: CheckContext): void {
  for (const rule of rules) rule(context);
}
