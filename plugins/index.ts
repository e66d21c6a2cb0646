import type { Plugin } from '#core/plugin.ts';
import type { Provider } from '#core/provider.ts';
import auth from './auth/index.ts';
import cache from './cache/index.ts';
import fallbackRetry from './fallback-retry/index.ts';
import feedback from './feedback/index.ts';
import limits from './limits/index.ts';
import logging from './logging/index.ts';
import models from './models/index.ts';
import prompts from './prompts/index.ts';
import anthropic from './providers/anthropic/index.ts';
import azureAi from './providers/azure-ai/index.ts';
import azureOpenai from './providers/azure-openai/index.ts';
import bedrock from './providers/bedrock/index.ts';
import gemini from './providers/gemini/index.ts';
import mock from './providers/mock/index.ts';
import openai from './providers/openai/index.ts';
import vendors from './providers/vendors/index.ts';
import vertexAi from './providers/vertex-ai/index.ts';
import routing from './routing/index.ts';
import transform from './transform/index.ts';
import virtualKey from './virtual-key/index.ts';

/** The built-in stage plugins, in their default order (without `plugins:`). */
export const stages: readonly Plugin[] = Object.freeze([
  auth,
  virtualKey,
  limits,
  feedback,
  prompts,
  routing,
  models,
  cache,
  transform,
  fallbackRetry,
  logging,
]);

/** The built-in providers. A new folder in `providers/` is added here, and a vendor with a known format is added as a row in
 * `providers/vendors/`. */
export const providers: readonly Provider[] = Object.freeze([
  mock,
  openai,
  azureOpenai,
  azureAi,
  anthropic,
  vertexAi,
  gemini,
  bedrock,
  ...vendors,
]);
