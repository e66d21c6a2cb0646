import { gatewaySchema } from '../../schema/join.ts';

/** Keys of the top level in canonical order: that of the schema, with `x-` keys, which contain anchors, behind `include`. */
export function canonicalOrder(): (key: string) => number {
  const { properties } = gatewaySchema([]);
  const keys = Object.keys(properties as object);
  const extensionIndex = keys.indexOf('include') + 0.5;
  return (key) => {
    if (key.startsWith('x-')) return extensionIndex;
    const index = keys.indexOf(key);
    return index < 0 ? keys.length : index;
  };
}
