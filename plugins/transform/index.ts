import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'transform',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
