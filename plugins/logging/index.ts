import { definePlugin, type PluginHost, type PluginInstance } from '#core/plugin.ts';

interface LoggingOptions {
  readonly line?: boolean;
}

/**
 * Logs each finished request as one line. The record itself is stored by the core before the last byte of the response is
 * sent, with or without this plugin.
 */
export default definePlugin<LoggingOptions | undefined>({
  name: 'logging',
  moments: ['record'],
  options: {
    type: 'object',
    properties: { line: { type: 'boolean', description: 'Print one line for each finished request.', default: true } },
    additionalProperties: false,
  },
  setup: (options, host) => (options?.line === false ? { record: () => {} } : lines(host)),
});

const lines = (host: PluginHost): PluginInstance => ({ record: (record) => host.log.request(record) });
