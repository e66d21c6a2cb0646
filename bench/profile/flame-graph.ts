import type { CallFrameNode } from './call-tree.ts';

const rowHeight = 18;
/** Minimum width as a share. Narrower frames would be invisible, and there are thousands. */
const narrowest = 0.0004;

interface Box {
  readonly frame: CallFrameNode;
  readonly depth: number;
  /** As shares of the total width. */
  readonly left: number;
  readonly width: number;
}

/** Renders a flame graph as a self-contained page: callers at the top, width is time, a click zooms in. */
export function flameGraph(root: CallFrameNode, requests: number): string {
  const boxes: Box[] = [];
  const addBox = (frame: CallFrameNode, depth: number, left: number): void => {
    const width = frame.total / root.total;
    if (width < narrowest) return;
    boxes.push({ frame, depth, left, width });
    let at = left;
    for (const child of frame.children) {
      addBox(child, depth + 1, at);
      at += child.total / root.total;
    }
  };
  addBox(root, 0, 0);
  const height = (Math.max(...boxes.map(({ depth }) => depth)) + 1) * rowHeight;
  const micros = (time: number): string => `${(time / Math.max(1, requests)).toFixed(2)} µs a request`;
  const drawn = boxes.map((box) => {
    const { name, where, total, self } = box.frame;
    const words = `${name} ${where}\n${micros(total)}, ${((100 * total) / root.total).toFixed(1)} %; itself ${micros(self)}`;
    const style = `left:${share(box.left)};width:${share(box.width)};top:${box.depth * rowHeight}px;background:hsl(${hueOf(where)} 70% 75%)`;
    return `<div style="${style}" title="${escaped(words)}" data-at="${box.left} ${box.width}">${escaped(name)}</div>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>The gateway's main thread</title>
<style>body{font:12px sans-serif;margin:8px}#all{position:relative;height:${height}px}
#all div{position:absolute;height:${rowHeight - 1}px;overflow:hidden;white-space:nowrap;cursor:pointer;text-indent:2px}</style>
<p>${requests} requests, ${micros(root.total)} on the main thread. Hover for figures, click to enlarge, click the top to see all.</p>
<div id="all">${drawn.join('\n')}</div>
<script>${enlarge}</script>`;
}

const enlarge = `
const all = document.getElementById('all');
all.addEventListener('click', ({ target }) => {
  const [left, width] = (target.dataset.at ?? '0 1').split(' ').map(Number);
  for (const box of all.children) {
    const [from, wide] = box.dataset.at.split(' ').map(Number);
    const [a, b] = [Math.max(0, (from - left) / width), Math.min(1, (from + wide - left) / width)];
    box.style.display = b - a > 1e-9 ? '' : 'none';
    box.style.left = 100 * a + '%';
    box.style.width = 100 * (b - a) + '%';
  }
});`;

const share = (of: number): string => `${(100 * of).toFixed(3)}%`;

/** Returns the same color for the same file. */
const hueOf = (where: string): number => Buffer.from(where.split(':')[0] ?? '').reduce((sum, byte) => (sum * 31 + byte) % 360, 7);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
