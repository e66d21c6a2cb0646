/** `openai-main 429 ×2`: consecutive attempts at one provider with the same result are one hop with a count. */
export function hopTexts(hops: readonly { readonly provider: string; readonly said: string }[]): string[] {
  const out: { text: string; count: number }[] = [];
  for (const { provider, said } of hops) {
    const text = `${provider} ${said}`;
    const before = out.at(-1);
    if (before?.text === text) before.count += 1;
    else out.push({ text, count: 1 });
  }
  return out.map(({ text, count }) => (count === 1 ? text : `${text} ×${count}`));
}
