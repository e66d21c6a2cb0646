import { definePlugin } from '#core/plugin.ts';

export default definePlugin({
  name: 'routing',
  options: { type: 'object', properties: {}, additionalProperties: false },
  setup: () => ({}),
});
