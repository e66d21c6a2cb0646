/** A third-party plugin that records its setup and disposal, and fails if configured to. */
export const lifePlugin = `
export default {
  name: 'life',
  options: { type: 'object', additionalProperties: false, properties: { fail: { type: 'boolean' } } },
  setup({ fail }) {
    if (fail) throw new Error('told to fail');
    const life = (globalThis.pluginLife ??= []);
    const mine = { disposed: 0 };
    life.push(mine);
    return { dispose() { mine.disposed += 1; } };
  },
};
`;

/** One entry for each setup in this process: how often it was disposed. */
export function lives(): readonly { readonly disposed: number }[] {
  return (globalThis as { pluginLife?: { disposed: number }[] }).pluginLife ?? [];
}
