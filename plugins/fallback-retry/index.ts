import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'fallback-retry',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
