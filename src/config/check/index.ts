import { checkApiKeys } from './keys/api-keys.ts';
import { checkChain } from './chain.ts';
import { checkCircuits } from './targets/circuits.ts';
import { checkConflicts } from './targets/conflicts.ts';
import type { CheckContext, Rule } from './context.ts';
import { checkCors } from './keys/cors.ts';
import { checkCycles } from './targets/cycles.ts';
import { checkDeprecatedKeys } from './deprecated.ts';
import { checkAdminUsers, checkExposure, checkAdminExposure } from './keys/exposed.ts';
import { checkHosts } from './providers/hosts.ts';
import { checkBudgetsAreKept } from './keys/kept-budgets.ts';
import { checkKeyCharacters } from './keys/key-characters.ts';
import { checkLogging } from './logging.ts';
import { checkNames } from './names.ts';
import { checkPaths } from './paths.ts';
import { checkPlainSecrets } from './keys/plain-secrets.ts';
import { checkPricing } from './pricing.ts';
import { checkPrompts } from './prompts/index.ts';
import { checkProviders } from './providers/index.ts';
import { checkQueries } from './targets/queries.ts';
import { checkReferences } from './targets/references.ts';
import { checkServedModels } from './targets/served-models.ts';
import { checkSentValues } from './sent-values.ts';
import { checkRequiredPlugins } from './targets/required-plugins.ts';
import { checkStore } from './store.ts';
import { checkStrategies } from './targets/strategies.ts';
import { checkTokens } from './keys/tokens.ts';
import { checkReachability } from './targets/unreachable.ts';
import { checkUnsupported } from './targets/unsupported.ts';
import { checkVirtualKeys } from './keys/virtual-keys.ts';

/** Checks that a schema cannot express, one rule per file. */
const rules: readonly Rule[] = [
  checkNames,
  checkReferences,
  checkCycles,
  checkStrategies,
  checkCircuits,
  checkReachability,
  checkConflicts,
  checkQueries,
  checkSentValues,
  checkPrompts,
  checkProviders,
  checkServedModels,
  checkPricing,
  checkVirtualKeys,
  checkHosts,
  checkApiKeys,
  checkTokens,
  checkBudgetsAreKept,
  checkChain,
  checkRequiredPlugins,
  checkExposure,
  checkAdminExposure,
  checkAdminUsers,
  checkPaths,
  checkCors,
  checkPlainSecrets,
  checkKeyCharacters,
  checkDeprecatedKeys,
  checkLogging,
  checkStore,
  checkUnsupported,
];

/** Runs every rule over the merged tree. */
export function runRules(context: CheckContext): void {
  for (const rule of rules) rule(context);
}
