import type { Reasons } from '../section.ts';

const guardrails = 'guardrails are not supported: use a plugin (docs/plugins.md)';

/** Keys of a config without a counterpart. */
export const targetReasons: Reasons = {
  input_guardrails: guardrails,
  output_guardrails: guardrails,
  guardrails,
  before_request_hooks: guardrails,
  after_request_hooks: guardrails,
  input_mutators: guardrails,
  output_mutators: guardrails,
  default_input_guardrails: guardrails,
  default_output_guardrails: guardrails,
  id: 'targets have a name, not an id',
};
