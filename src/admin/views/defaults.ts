import { logging } from '../../config/schema/logging.ts';
import { server } from '../../config/schema/server/index.ts';
import { isPlain, type Plain } from '../../core/json/merge.ts';

/** Default values of the settings, from the schema. */
export function schemaDefaults(): readonly { readonly path: string; readonly value: string }[] {
  return [...defaultsOf('server', server), ...defaultsOf('logging', logging)];
}

function defaultsOf(path: string, schema: Plain): { path: string; value: string }[] {
  const { default: standard, properties } = schema;
  const own = standard === undefined ? [] : [{ path, value: typeof standard === 'string' ? standard : JSON.stringify(standard) }];
  const below = isPlain(properties)
    ? Object.entries(properties).flatMap(([name, one]) => (isPlain(one) ? defaultsOf(`${path}.${name}`, one) : []))
    : [];
  return [...own, ...below];
}
