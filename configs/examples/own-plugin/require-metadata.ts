import type { Plugin } from 'llm-gateway/plugin';

interface Options {
  /** Metadata that each request must have, for example for sharing the cost. */
  keys: readonly string[];
}

/** Rejects requests without this metadata. A key's own metadata counts. */
const plugin: Plugin<Options> = {
  name: 'require-metadata',
  moments: ['admit'],
  options: {
    type: 'object',
    properties: { keys: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 } },
    required: ['keys'],
    additionalProperties: false,
  },
  setup: ({ keys }, host) => ({
    admit(ctx) {
      const missing = keys.find((key) => ctx.metadata[key] === undefined && ctx.facts.caller?.key?.metadata[key] === undefined);
      if (missing === undefined) return undefined;
      throw host.error('invalid_metadata', {
        message: `The request does not name its "${missing}".`,
        param: 'x-gateway-metadata',
        hint: `Send x-gateway-metadata: {"${missing}":"…"}.`,
      });
    },
  }),
};

export default plugin;
