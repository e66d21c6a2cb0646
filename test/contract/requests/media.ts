import { developer, part, type RequestRow } from './row.ts';

const image = (url: string, more: object = {}) => ({ type: 'image_url', image_url: { url, ...more } });
const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
const file = (mimeType: string, fileUri: string) => ({ fileData: { mimeType, fileUri } });
const onDeveloper = { provider: 'gemini', settings: {}, url: `${developer}/models/gemini-2.5-flash:generateContent` } as const;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const document = (source: object) => ({ type: 'document', source });

/** Files in messages. */
export const mediaRows: readonly RequestRow[] = [
  part('a data URI', image('data:image/png;base64,AAAA'), inline('image/png', 'AAAA')),
  part('a data URI with parameters in any case', image('DATA:image/png;charset=utf-8;BASE64,AAAA'), inline('image/png', 'AAAA')),
  part('a data URI without base64', image('data:text/plain,a%20b'), inline('text/plain', 'YSBi')),
  part('a data URI without a type', image('data:;base64,AAAA'), inline('text/plain', 'AAAA')),
  part('URL-safe base64 without padding', image('data:image/png;base64,_-8'), inline('image/png', '/+8=')),
  part('image/jpg is image/jpeg', image('data:image/jpg;base64,AAAA'), inline('image/jpeg', 'AAAA')),
  part('bare base64 of older clients', image(png), inline('image/png', png)),
  part('image_url as a string', { type: 'image_url', image_url: 'https://h.example/a.png' }, file('image/png', 'https://h.example/a.png')),
  part('gs://', image('gs://acme/a b/cat.webp'), file('image/webp', 'gs://acme/a b/cat.webp')),
  part(
    'an extension in capitals before a signed query',
    image('https://h.example/a.PDF?sig=x.y&b=c.png#p.gif'),
    file('application/pdf', 'https://h.example/a.PDF?sig=x.y&b=c.png#p.gif'),
  ),
  part('an escaped extension', image('https://h.example/a%2Ejpeg'), file('image/jpeg', 'https://h.example/a%2Ejpeg')),
  part(
    'mime_type takes precedence over the extension',
    image('https://h.example/a.png', { mime_type: 'image/webp' }),
    file('image/webp', 'https://h.example/a.png'),
  ),
  part('format sets the media type', image('gs://acme/noext', { format: 'video/mp4' }), file('video/mp4', 'gs://acme/noext')),
  ...(
    [
      'mp4 video/mp4',
      'mov video/quicktime',
      'mp3 audio/mpeg',
      'wav audio/wav',
      'flac audio/flac',
      'heic image/heic',
      'avi video/avi',
      'jpeg image/jpeg',
    ] as const
  ).map((row) => {
    const [extension, type] = row.split(' ');
    return part(`.${extension}`, image(`gs://acme/x.${extension}`), file(type ?? '', `gs://acme/x.${extension}`));
  }),
  ...(['txt', 'html', 'md', 'csv', 'json', 'xml', 'yaml', 'py', 'ts', 'log'] as const).map((extension) =>
    part(`.${extension} is read as plain text`, image(`gs://acme/x.${extension}`), file('text/plain', `gs://acme/x.${extension}`)),
  ),
  part('inline HTML is plain text', image('data:text/html;base64,AAAA'), inline('text/plain', 'AAAA')),
  part('no extension', image('https://h.example/download?name=a.png'), undefined, {
    refused: ['missing_file_extension', 'messages[0].content[1].image_url.url'],
  }),
  part('gs:// without extension', image('gs://acme/noext'), undefined, {
    refused: ['missing_file_extension', 'messages[0].content[1].image_url.url'],
  }),
  part('a dot in the host is not an extension', image('https://h.example'), undefined, {
    refused: ['missing_file_extension', 'messages[0].content[1].image_url.url'],
  }),
  part('office documents', image('gs://acme/x.docx'), undefined, {
    refused: ['unsupported_parameter', 'messages[0].content[1].image_url.url'],
  }),
  part('an invalid URL', image('cat.png'), undefined, { refused: ['unsupported_parameter', 'messages[0].content[1].image_url.url'] }),
  part('an unknown content part is rejected', { type: 'hologram', hologram: {} }, undefined, {
    refused: ['unsupported_parameter', 'messages[0].content[1]'],
  }),
  part('a URL of the Files API needs no extension', image('https://generativelanguage.googleapis.com/v1beta/files/abc-1'), {
    fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc-1' },
  }),
  part('a video link', image('https://www.youtube.com/watch?v=abc'), file('video/mp4', 'https://www.youtube.com/watch?v=abc')),
  part('input_audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }, inline('audio/mp3', 'AAAA')),
  part('input_audio opus', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'opus' } }, inline('audio/ogg', 'AAAA')),
  part('input_audio of an unknown format', { type: 'input_audio', input_audio: { data: 'AAAA', format: '8track' } }, undefined, {
    refused: ['unsupported_parameter', 'messages[0].content[1].input_audio.format'],
  }),
  part(
    'a file as data URI',
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0x', filename: 'a.pdf' } },
    inline('application/pdf', 'JVBERi0x'),
    { dropped: ['messages[].content[].file.filename'] },
  ),
  part(
    'a file as bare base64 with a name',
    { type: 'file', file: { file_data: 'AAAA', filename: 'a.csv' } },
    inline('text/plain', 'AAAA'),
    {
      dropped: ['messages[].content[].file.filename'],
    },
  ),
  part('a file by gs:// id', { type: 'file', file: { file_id: 'gs://acme/a.pdf' } }, file('application/pdf', 'gs://acme/a.pdf')),
  part(
    'a file by the id that /v1/files gives',
    { type: 'file', file: { file_id: 'gs%3A%2F%2Facme%2Fa%20b.pdf' } },
    file('application/pdf', 'gs://acme/a b.pdf'),
  ),
  part('an image by the id that /v1/files gives', image('gs%3A%2F%2Facme%2Fa.png'), file('image/png', 'gs://acme/a.png')),
  part(
    'an input_image by the id that /v1/files gives',
    { type: 'input_image', file_id: 'gs%253A%252F%252Facme%252Fa.png' },
    file('image/png', 'gs://acme/a.png'),
  ),
  part('a file id of another provider is rejected', { type: 'file', file: { file_id: 'file-123' } }, undefined, {
    refused: ['unsupported_parameter', 'messages[0].content[1].file.file_id'],
  }),
  {
    name: 'files without text get a blank text',
    body: { messages: [{ role: 'user', content: [image('gs://acme/a.png')] }] },
    upstream: { contents: [{ role: 'user', parts: [file('image/png', 'gs://acme/a.png'), { text: ' ' }] }] },
  },
  {
    ...part('detail becomes the media resolution of the request', image('gs://acme/a.png', { detail: 'low' }), {}),
    upstream: {
      contents: [{ role: 'user', parts: [{ text: 'see' }, file('image/png', 'gs://acme/a.png')] }],
      generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    },
  },
  part(
    'detail becomes the media resolution of the image from generation 3 on',
    image('gs://acme/a.png', { detail: 'high' }),
    { ...file('image/png', 'gs://acme/a.png'), mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } },
    {
      model: 'google.gemini-3-flash',
      url: 'https://us-central1-aiplatform.googleapis.com/v1/projects/p1/locations/us-central1/publishers/google/models/gemini-3-flash:generateContent',
    },
  ),
  part(
    'media_resolution takes precedence over detail',
    image('gs://acme/a.png', { detail: 'low', media_resolution: { level: 'MEDIA_RESOLUTION_HIGH' } }),
    { ...file('image/png', 'gs://acme/a.png'), mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } },
  ),
  part(
    'a detail value of another provider is dropped and reported',
    image('gs://acme/a.png', { detail: 'original' }),
    file('image/png', 'gs://acme/a.png'),
    {
      dropped: ['messages[].content[].image_url.detail'],
    },
  ),
  part(
    'a file of a video with its range',
    { type: 'file', file: { file_id: 'gs://acme/a.mp4' }, video_metadata: { fps: 1 } },
    { ...file('video/mp4', 'gs://acme/a.mp4'), videoMetadata: { fps: 1 } },
  ),
  part('with an API key https files are inlined', image('https://h.example/a.png'), inline('image/png', 'QUJD'), {
    ...onDeveloper,
    media: { 'https://h.example/a.png': { mimeType: 'image/png', base64: 'QUJD' } },
  }),
  part('with an API key the content type of a download is used', image('https://h.example/a'), inline('image/gif', 'QUJD'), {
    ...onDeveloper,
    media: { 'https://h.example/a': { mimeType: 'image/gif', base64: 'QUJD' } },
  }),
  part(
    'a document of Anthropic by value',
    document({ type: 'base64', media_type: 'application/pdf', data: 'QUJD' }),
    inline('application/pdf', 'QUJD'),
  ),
  part(
    'a document of Anthropic with an API key by URL',
    document({ type: 'url', url: 'https://h.example/a.pdf' }),
    inline('application/pdf', 'QUJD'),
    {
      ...onDeveloper,
      media: { 'https://h.example/a.pdf': { mimeType: 'application/pdf', base64: 'QUJD' } },
    },
  ),
  part('a document of Anthropic with text', document({ type: 'text', media_type: 'text/plain', data: 'x' }), {
    text: '<document>\nx\n</document>',
  }),
  part('an image of Anthropic without a source', { type: 'image' }, undefined, {
    refused: ['unsupported_parameter', 'messages[0].content[1].image.source'],
  }),
  part('with an API key gs:// is rejected', image('gs://acme/a.png'), undefined, {
    ...onDeveloper,
    refused: ['unsupported_parameter', 'messages[0].content[1].image_url.url'],
  }),
];
