import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'virtual-key',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
