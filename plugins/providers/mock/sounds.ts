/** Short playable sounds with constant content, by the format in the request. */
export const sounds: Readonly<Record<string, { readonly type: string; readonly bytes: () => Buffer }>> = {
  mp3: { type: 'audio/mpeg', bytes: mp3 },
  wav: { type: 'audio/wav', bytes: wav },
  pcm: { type: 'audio/pcm', bytes: samples },
};

const rate = 8_000;
const seconds = 0.25;

/** A tone of 440 Hz as 16-bit samples, mono, little-endian. */
function samples(): Buffer {
  const bytes = Buffer.alloc(rate * seconds * 2);
  for (let at = 0; at < bytes.length / 2; at += 1) {
    bytes.writeInt16LE(Math.round(Math.sin((2 * Math.PI * 440 * at) / rate) * 8_000), at * 2);
  }
  return bytes;
}

/** RIFF with one `fmt ` and one `data` chunk. */
function wav(): Buffer {
  const data = samples();
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/**
 * Frames of MPEG-1 layer III, 32 kbit/s, 32 kHz, mono: 144 bytes each. Side information of zeros means that a frame has no
 * coefficients, so it is silence.
 */
function mp3(): Buffer {
  const frame = Buffer.alloc(144);
  frame.writeUInt32BE(0xff_fb_18_c0);
  return Buffer.concat([frame, frame, frame, frame]);
}
