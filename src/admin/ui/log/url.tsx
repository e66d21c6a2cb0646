/** A URL with line break opportunities after its parts. A part is broken only if it is longer than the line. */
export function Url({ text }: { text: string }) {
  const parts = text.split(/(?<=[/?&=])(?!\/)/);
  return (
    <code class="url">
      {parts.map((part, i) => (
        <>
          {part}
          {i < parts.length - 1 && <wbr key={i} />}
        </>
      ))}
    </code>
  );
}
