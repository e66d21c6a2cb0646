import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'logging',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
