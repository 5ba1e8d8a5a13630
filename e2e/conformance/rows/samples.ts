/** What the model of the mock says when nothing else is asked of it. */
export const greeting = 'Hello! How can I help you today?';
export const thought = 'The question is easy enough.';

/** What that vendor signs its calls with. */
export const signatureOfGemini = Buffer.from('signature of gemini').toString('base64');

/** A picture of one point. */
export const pngBase64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Where the same picture is to be had. */
export const pngUrl = 'https://pictures.test/a.png';
export const pngSize = `image/png ${Buffer.from(pngBase64, 'base64').length}B`;

export const pdfBase64 = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n').toString(
  'base64',
);
export const pdfSize = `application/pdf ${Buffer.from(pdfBase64, 'base64').length}B`;

/** A tenth of a second of silence: 8 kHz, one byte a sample. */
export const wavBase64 = wav(800).toString('base64');
export const wavSize = `audio/wav ${Buffer.from(wavBase64, 'base64').length}B`;

/** A RIFF file of that many samples. */
export function wav(samples: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
}

const place = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };

/** Two functions: the model calls them with `{city: 'Paris'}` and `{city: 'Paris', days: 3}`. */
export const functions = {
  weather: { name: 'get_weather', description: 'The weather of today', schema: place },
  forecast: {
    name: 'get_forecast',
    description: 'The weather of some days',
    schema: { ...place, properties: { ...place.properties, days: { type: 'integer' } }, required: ['city', 'days'] },
  },
};

/** As tools of real clients come: with members that some dialects refuse. */
export const wildSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  title: 'Wild',
  properties: {
    path: { type: 'string', format: 'uri', minLength: 1, description: 'Where', default: '/' },
    limit: { type: ['integer', 'null'], exclusiveMinimum: 0, maximum: 100 },
    mode: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
    size: { type: ['string', 'integer', 'null'], description: 'How much' },
    kind: { const: 'file' },
    edits: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', properties: { from: { $ref: '#/$defs/text' } }, required: ['from'] },
    },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    nothing: { type: 'object', properties: {} },
  },
  required: ['path'],
  additionalProperties: false,
  $defs: { text: { type: 'string' } },
};
