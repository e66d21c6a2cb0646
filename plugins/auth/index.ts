import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'auth',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
