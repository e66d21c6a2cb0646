import type { Reasons } from '../section.ts';

const limits = 'use limits of API keys (docs/keys.md); LiteLLM also spreads requests by it, for that use weight';
const budget = 'use limits.budget of API keys (docs/keys.md), or a limit at the provider';
const price = 'use pricing in gateway.yaml';
const cloudLogin = "use auth of the provider: see docs/providers.md for the type's modes";
const info = 'a description that only LiteLLM reads: remove it';
const database = 'not needed: the configuration is the file; keys of the database stay behind, issue them with gateway keys create';

/** Parameters of a deployment without a counterpart. */
export const paramReasons: Reasons = {
  rpm: limits,
  tpm: limits,
  max_parallel_requests: limits,
  max_budget: budget,
  budget_duration: budget,
  order: 'write the targets below strategy: {mode: fallback} in this order',
  stream_timeout: 'use timeouts of the target',
  tags: 'write a config for each tag, or a condition on metadata',
  input_cost_per_token: price,
  output_cost_per_token: price,
  input_cost_per_second: price,
  extra_headers: 'headers for one deployment are not supported; forward_headers forwards those of the client',
  headers: 'headers for one deployment are not supported; forward_headers forwards those of the client',
  extra_body: 'use override_params of the target',
  azure_ad_token: cloudLogin,
  tenant_id: cloudLogin,
  client_id: cloudLogin,
  client_secret: cloudLogin,
  aws_role_name: cloudLogin,
  aws_session_name: cloudLogin,
  aws_profile_name: cloudLogin,
  aws_web_identity_token: cloudLogin,
  guardrails: 'guardrails are not supported: use a plugin (docs/plugins.md)',
  litellm_credential_name: 'write the credential on the provider',
  mock_response: 'use a provider of type mock',
  use_in_pass_through: 'clients reach other paths of a provider with x-gateway-provider',
};

export const modelInfoReasons: Reasons = {
  id: info,
  mode: info,
  description: info,
  max_tokens: info,
  max_input_tokens: info,
  max_output_tokens: info,
  supports_vision: info,
  supports_function_calling: info,
  input_cost_per_token: price,
  output_cost_per_token: price,
  access_groups: 'use allow.models of an API key',
};

const byError = 'a fallback by kind of error is not supported: use strategy.on_status_codes';
const redis = 'not needed: instances share no state';
const retries = 'use retry.on_status_codes and strategy.cb_config';

export const routerReasons: Reasons = {
  content_policy_fallbacks: byError,
  context_window_fallbacks: byError,
  redis_host: redis,
  redis_port: redis,
  redis_password: redis,
  redis_url: redis,
  cache_responses: 'use cache of the config',
  retry_policy: retries,
  model_group_retry_policy: retries,
  allowed_fails_policy: retries,
  retry_after: 'use retry.use_retry_after_header',
  routing_strategy_args: 'requests are spread by weight only',
  enable_pre_call_checks: 'requests are not checked against the context length of models',
  enable_tag_filtering: 'write a config for each tag, or a condition on metadata',
  stream_timeout: 'use timeouts of the config',
  max_fallbacks: 'every listed fallback is tried',
};

export const litellmReasons: Reasons = {
  content_policy_fallbacks: byError,
  context_window_fallbacks: byError,
  cache_params: 'caching is not enabled',
  turn_off_message_logging: 'use logging.requests.bodies: metadata',
  redact_user_api_key_info: 'the request log never contains keys',
  set_verbose: 'use logging.level',
  json_logs: 'use gateway start --log-format json',
  modify_params: 'requests are not rewritten beyond the conversion between formats',
  max_budget: budget,
  budget_duration: budget,
  default_team_settings: 'use api_keys with metadata',
  guardrails: 'guardrails are not supported: use a plugin (docs/plugins.md)',
};

export const generalReasons: Reasons = {
  database_url: database,
  store_model_in_db: database,
  database_connection_pool_limit: database,
  database_connection_timeout: database,
  custom_auth: 'use auth with tokens, or a plugin (docs/plugins.md)',
  enable_jwt_auth: 'use auth with tokens (docs/keys.md)',
  litellm_jwtauth: 'use auth with tokens (docs/keys.md)',
  alerting: 'use alerts on the metrics (docs/metrics.md)',
  alerting_threshold: 'use alerts on the metrics (docs/metrics.md)',
  pass_through_endpoints: 'clients reach other paths of a provider with x-gateway-provider',
  background_health_checks: 'use strategy.cb_config, which skips targets that fail',
  health_check_interval: 'use strategy.cb_config, which skips targets that fail',
  max_parallel_requests: limits,
  global_max_parallel_requests: 'use server.max_in_flight',
  completion_model: 'name the model in each call, or use override_params',
  proxy_batch_write_at: database,
};

export const rootReasons: Reasons = {
  environment_variables: 'set these variables in the environment of the gateway',
  include: 'name the included files as further arguments of this command',
  guardrails: 'guardrails are not supported: use a plugin (docs/plugins.md)',
  mcp_servers: 'tool servers are not supported: clients call them',
  callback_settings: 'use the request log, observability.tracing or a plugin (docs/plugins.md)',
  credential_list: 'write the credential on the provider',
  vector_store_registry: 'not supported',
  prompts: 'use prompts in gateway.yaml (docs/prompts.md)',
};

/** What to use in place of a callback, by its name. */
export const callbacks: Readonly<Record<string, string>> = {
  otel: 'use observability.tracing',
  langfuse: 'use observability.tracing',
  langfuse_otel: 'use observability.tracing',
  langsmith: 'use observability.tracing',
  arize: 'use observability.tracing',
  arize_phoenix: 'use observability.tracing',
  logfire: 'use observability.tracing',
  datadog: 'use observability.tracing and /metrics',
  prometheus: 'always on: metrics are at /metrics (docs/metrics.md)',
  s3: 'use the request log (docs/running.md)',
  sentry: 'use alerts on the metrics (docs/metrics.md)',
};
