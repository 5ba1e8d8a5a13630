import { expect, test } from 'vitest';
import { cpuMs } from '../../../wire/test/cpu-ms.ts';
import { RelayFault } from './faults.ts';
import { readForm, readUpload, rebuildForm, textsOf } from './upload.ts';

type Part = readonly [name: string, value: string | Blob];

const sound = new Blob([new Uint8Array(9)], { type: 'audio/mpeg' });
const longSound = new Blob([new Uint8Array(90)], { type: 'audio/mpeg' });
const contentType = 'multipart/form-data; boundary=mark';

async function encoded(parts: readonly Part[]): Promise<[raw: Buffer, contentType: string]> {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'a.mp3');
  }
  const { body, contentType: type } = await rebuildForm(form, new Map());
  return [body, type];
}

/** A form of parts that are written by hand: head, content. */
function written(...parts: readonly (readonly [head: string, content: string])[]): Buffer {
  return Buffer.from(`${parts.map(([head, content]) => `--mark\r\n${head}\r\n\r\n${content}\r\n`).join('')}--mark--\r\n`);
}

/** The text of the refusal, which is a 400. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  const fault = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof RelayFault)) throw new Error('it was not refused');
  expect(fault.status).toBe(400);
  return fault.message;
}

test.each([
  [
    'a text that comes twice',
    [
      ['seconds', '12'],
      ['seconds', '4'],
    ],
    'duplicate field "seconds"',
  ],
  [
    'one that differs in case',
    [
      ['prompt', 'a'],
      ['Prompt', 'b'],
    ],
    'duplicate field "Prompt"',
  ],
  [
    'two models',
    [
      ['model', 'dear'],
      ['model', 'cheap'],
    ],
    'duplicate field "model"',
  ],
  [
    'a count as a list',
    [
      ['n', '1'],
      ['n[]', '10'],
    ],
    '"n[]" must be spelled "n"',
  ],
  ['a count as a list alone', [['n[0]', '10']], '"n[0]" must be spelled "n"'],
  ['a count in another case', [['N', '10']], '"N" must be spelled "n"'],
  ['a count as a file', [['n', new Blob(['10'])]], '"n" must not be a file'],
] satisfies [string, Part[], string][])('%s is refused', async (_, parts, reason) => {
  expect(await refusal(readForm(...(await encoded(parts))))).toContain(reason);
});

test.each([
  [
    'two files',
    [
      ['file', sound],
      ['file', longSound],
    ],
  ],
  [
    'one in another case',
    [
      ['file', sound],
      ['FILE', longSound],
    ],
  ],
  [
    'one as a list',
    [
      ['file', sound],
      ['file[]', longSound],
    ],
  ],
  [
    'the other name of sound',
    [
      ['file', sound],
      ['audio', longSound],
    ],
  ],
  [
    'a text of that name',
    [
      ['file', sound],
      ['file', 'RIFF'],
    ],
  ],
] satisfies [string, Part[]][])('sound is measured, so that it comes once: %s', async (_, parts) => {
  expect(await refusal(readUpload(...(await encoded([['model', 'm'], ...parts]))))).toContain('the form has more than one file');
});

test('a text is no file, also beside a picture', async () => {
  const parts: Part[] = [
    ['file', 'RIFF'],
    ['image', sound],
  ];
  expect(await refusal(readUpload(...(await encoded(parts))))).toContain('field file is required');
  const [raw, contentType] = await encoded(parts);
  await expect(readUpload(raw, contentType, 'invalid_audio_request')).rejects.toMatchObject({
    ...{ status: 400, code: 'invalid_audio_request' },
  });
});

test('what SDKs send passes: lists, several pictures, members of objects', async () => {
  const heard = await readUpload(
    ...(await encoded([
      ['model', 'whisper-1'],
      ['file', sound],
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
      ['include[]', 'logprobs'],
      ['include[]', 'logprobs'],
      ['chunking_strategy[type]', 'server_vad'],
      ['chunking_strategy[threshold]', '0.5'],
    ])),
  );
  expect(heard).toMatchObject({ file: { name: 'a.mp3', mediaType: 'audio/mpeg' }, fields: { model: 'whisper-1' } });
  expect(heard.file.bytes.length).toBe(9);
  for (const name of ['image', 'image[]']) {
    const drawn = await readUpload(
      ...(await encoded([
        ['n', '2'],
        ['size', '1024x1024'],
        [name, sound],
        [name, longSound],
        ['mask', sound],
      ])),
    );
    expect([drawn.fields.n, drawn.file.bytes.length]).toEqual(['2', 9]);
  }
});

const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;

test.each([
  ['a part with two heads of names', written([`${named('n')}\r\n${named('x')}`, '10'])],
  ['a part with two names', written([named('n', '; name="x"'), '10'])],
  ['a part with a name in two spellings', written([named('n', "; name*=UTF-8''x"), '10'])],
  ['a part that is encoded', written([`${named('n')}\r\nContent-Transfer-Encoding: quoted-printable`, '=31=30'])],
  ['a part behind the end', Buffer.concat([written([named('n'), '1']), written([named('n'), '10'])])],
])('%s is read by each parser in its own way, and refused', async (_, raw) => {
  expect(await refusal(readForm(raw, contentType))).toMatch(/more than one way|cannot be read/);
});

test('a form with two boundaries is refused, one in quotation marks and one beside a charset are not', async () => {
  const raw = written([named('n'), '1']);
  expect(await refusal(readForm(raw, `${contentType}; boundary=other`))).toContain('more than one way');
  for (const type of [
    'multipart/form-data; boundary="mark"',
    'multipart/form-data; charset=utf-8; boundary=mark',
    `${contentType}; charset=utf-8`,
  ])
    expect(textsOf(await readForm(raw, type))).toEqual({ n: '1' });
});

test.each([
  ['of 400,000 files', `--mark\r\n${named('a', '; filename="b"')}\r\n\r\n\r\n`.repeat(400_000), 'too many fields'],
  ['of a head of 26 MB', `--mark\r\n${'X-Y: z\r\n'.repeat(3_250_000)}${named('a')}\r\n\r\n1\r\n`, 'more than one way'],
])('a form %s is refused before it is read', async (_, parts, reason) => {
  const raw = Buffer.from(`${parts}--mark--\r\n`);
  const startMs = cpuMs();
  expect(await refusal(readForm(raw, contentType))).toContain(reason);
  // Reading it takes seconds.
  expect(cpuMs() - startMs).toBeLessThan(500);
});

test.each([
  ['is escaped', 'multipart/form-data; boundary="ma\\rk"'],
  ['has a blank', 'multipart/form-data; boundary=ma rk'],
  ['has a blank of another kind', 'multipart/form-data; boundary=mark\u00a0; x=y'],
  ['stands within another parameter', 'multipart/form-data; x="; boundary=other"; boundary=mark'],
  ['is missing', 'multipart/form-data; charset=utf-8'],
])('a form whose boundary %s is refused, since its parts cannot be counted', async (_, type) => {
  expect(await refusal(readForm(written([named('n'), '1']), type))).toContain('more than one way');
});

test('heads as clients write them pass', async () => {
  const heads = [
    `${named('file', '; filename="my name=a; b.mp3"')}\r\nContent-Type: audio/mpeg\r\nContent-Transfer-Encoding: binary`,
    `Content-Type: text/plain; charset=utf-8; name="x"\r\nContent-Transfer-Encoding: 8bit\r\n${named('model')}`,
    `Content-Length: 1\r\n${named('prompt')}`,
  ];
  const raw = written(...heads.map((head) => [head, 'm'] as const));
  const { fields, file, raw: kept } = await readUpload(raw, contentType);
  expect({ ...fields, file: file.name }).toEqual({ model: 'm', prompt: 'm', file: 'my name=a; b.mp3' });
  expect(kept).toBe(raw);
});
