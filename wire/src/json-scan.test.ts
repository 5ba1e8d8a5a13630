import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findMember, memberBoolean, memberNumber, memberText } from './json-member.ts';
import { maxDepth, maxMembers, maxParts, scanObject } from './json-scan.ts';

function scan(text: string) {
  const body = Buffer.from(text);
  const result = scanObject(body);
  if (!result.ok) throw new Error(result.reason);
  return { body, scan: result.scan };
}

function reasonOf(text: string | Buffer): string {
  const result = scanObject(Buffer.from(text));
  return result.ok ? 'ok' : result.reason;
}

describe('scanObject', () => {
  test('finds the byte range of every top-level value, whatever surrounds it', () => {
    const { body, scan: found } = scan(' {"a" : [1,{"a":2}] ,\n"b":"x\\"}","c":-1.5e+3,"d":true,"e":null,"f":{}} \n');
    const values = found.members.map((m) => [m.key, m.kind, body.toString('utf8', m.valueStart, m.valueEnd)]);
    expect(values).toEqual([
      ['a', 'array', '[1,{"a":2}]'],
      ['b', 'string', '"x\\"}"'],
      ['c', 'number', '-1.5e+3'],
      ['d', 'boolean', 'true'],
      ['e', 'null', 'null'],
      ['f', 'object', '{}'],
    ]);
  });

  test('tells which of the words asked for are the whole of a string in it, at any depth', () => {
    const text =
      '{"length":1,"choices":[{"finish_reason":"length","of":["length","stop"]}],"said":"a \\"usage\\" of \\"stops\\"","max":"lengt"}';
    const result = scanObject(Buffer.from(text), ['max', 'usage', 'stop', 'length', 'stops']);
    expect(result.ok ? result.scan.words : result.reason).toEqual(['length', 'stop']);
    expect(scan(text).scan.words).toEqual([]);
  });

  test('agrees with JSON.parse about every value of any object', () => {
    const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { maxKeys: 8 });
    fc.assert(
      fc.property(objects, fc.constantFrom(0, 1, 3), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const folded = new Set(Object.keys(object).map((key) => key.toLowerCase().toUpperCase()));
        fc.pre(folded.size === Object.keys(object).length && !text.includes('\ufffd'));
        const { body, scan: found } = scan(text);
        const seen = found.members.map((m) => [m.key, JSON.parse(body.toString('utf8', m.valueStart, m.valueEnd))]);
        expect(seen).toEqual(Object.entries(JSON.parse(text)));
      }),
    );
  });

  test('accepts exactly the structures that JSON.parse accepts', () => {
    const pieces = fc.array(
      fc.constantFrom('{', '}', '[', ']', ',', ':', '"a"', '"b"', '1', '-', '0', '.5', 'e1', 'true', 'nul', ' '),
      {
        maxLength: 12,
      },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = `{"z":${parts.join('')}}`;
        const reason = reasonOf(text);
        fc.pre(!reason.startsWith('duplicate'));
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(reason === 'ok').toBe(valid);
      }),
      { numRuns: 5000 },
    );
  });

  test('never throws on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(typeof reasonOf(Buffer.concat([Buffer.from('{"a":'), bytes]))).toBe('string');
      }),
    );
  });

  test('a body that is cut anywhere is refused', () => {
    const text = '{"model":"m","messages":[{"role":"user","content":"h\\\\\\"i 世界"}],"n":1.5e2,"x":{"y":[true,false,null]}}';
    const body = Buffer.from(text);
    for (let cut = 0; cut < body.length; cut += 1) expect(reasonOf(body.subarray(0, cut))).not.toBe('ok');
    expect(reasonOf(body)).toBe('ok');
  });

  test.each(['', 'null', '[]', '"a"', '\ufeff{}', '{}{}', '{} x', '{"a":1,}', '{,"a":1}', '{"a":01}', '{"a":+1}', '{a:1}'])(
    'refuses %j',
    (text) => {
      expect(reasonOf(text)).not.toBe('ok');
    },
  );

  test.each([
    '{"model":"a","model":"b"}',
    '{"model":"a","mod\\u0065l":"b"}',
    '{"model":"a","Model":"b"}',
    '{"max_tokens":1,"max_to\u212aens":2}',
    '{"stream":true,"\u017ftream":false}',
  ])('refuses two keys that some reader takes for one: %s', (text) => {
    expect(reasonOf(text)).toMatch(/^duplicate key/);
  });

  test('the same key in nested objects is no duplicate', () => {
    expect(reasonOf('{"a":{"b":1,"b":2},"b":[{"a":1},{"a":2}]}')).toBe('ok');
  });

  test('depth and key count are bounded', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(reasonOf(nested(maxDepth))).toBe('ok');
    expect(reasonOf(nested(maxDepth + 1))).toMatch(/nested deeper/);
    expect(reasonOf(`{"a":${'[{"a":'.repeat(100_000)}`)).toMatch(/nested deeper/);
    const wide = (keys: number) => JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, k) => [`k${k}`, k])));
    expect(reasonOf(wide(maxMembers))).toBe('ok');
    expect(reasonOf(wide(maxMembers + 1))).toMatch(/more than/);
  });

  test.each([
    ['objects', '{}', 1],
    ['lists', '[]', 1],
    ['texts', '"a"', 1],
    ['names', '{"a":1}', 2],
  ])('so are %s, which take many times their bytes once they are parsed', (_what, part, each) => {
    // The body, its list and its one name.
    const most = Math.floor((maxParts - 3) / each);
    const many = (parts: number) => `{"a":[${Array.from({ length: parts }, () => part).join(',')}]}`;
    expect(reasonOf(many(most))).toBe('ok');
    expect(reasonOf(many(most + 1))).toBe('the JSON body has more than 1000000 parts');
  });

  test('a key that is not UTF-8 is refused, so that nobody reads another one', () => {
    expect(reasonOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).not.toBe('ok');
  });
});

describe('size of the prompt', () => {
  test('text counts by byte, blanks between values do not', () => {
    const compact = JSON.stringify({ messages: [{ role: 'user', content: 'three  blanks   inside' }] });
    const spread = JSON.stringify(JSON.parse(compact), null, 8);
    expect(scan(compact).scan.textBytes).toBe(compact.length);
    expect(scan(spread).scan.textBytes).toBe(compact.length);
  });

  const base64 = Buffer.alloc(3000, 0x5a).toString('base64');
  test.each([
    ['a data URL', { image_url: { url: `data:image/png;base64,${base64}` } }],
    ['base64 audio', { input_audio: { data: base64, format: 'wav' } }],
    ['a file', { file: { file_data: `data:application/pdf;base64,${base64}` } }],
  ])('%s counts once, not by byte', (_, part) => {
    const { scan: found } = scan(JSON.stringify({ messages: [{ content: [part] }] }));
    expect(found.mediaCount).toBe(1);
    expect(found.mediaBytes).toBeGreaterThanOrEqual(base64.length);
    expect(found.textBytes).toBeLessThan(200);
  });

  test.each([
    ['base64 in a text', { type: 'text', text: base64 }],
    ['a long text under a media key', { data: 'plain words with blanks '.repeat(100) }],
    ['media in an array under no key', ['x', base64]],
    ['a short data URL', { url: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' }],
  ])('%s counts by byte', (_, part) => {
    const text = JSON.stringify({ messages: [{ content: part }] });
    expect(scan(text).scan).toMatchObject({ mediaCount: 0, textBytes: text.length });
  });
});

describe('decoded members', () => {
  const { body, scan: found } = scan('{"s":"a\\u00e9\\n世","n":-12.5e1,"t":true,"f":false,"o":{},"bad":"\\x"}');
  const member = (key: string) => findMember(found, key);
  test('have the value that JSON.parse gives', () => {
    expect(memberText(body, member('s'), 100)).toBe('aé\n世');
    expect(memberNumber(body, member('n'))).toBe(-125);
    expect(memberBoolean(body, member('t'))).toBe(true);
    expect(memberBoolean(body, member('f'))).toBe(false);
  });
  test('are undefined when the kind, the length or the text is wrong', () => {
    expect(memberText(body, member('o'), 100)).toBeUndefined();
    expect(memberText(body, member('s'), 4)).toBeUndefined();
    expect(memberText(body, member('bad'), 100)).toBeUndefined();
    expect(memberNumber(body, member('s'))).toBeUndefined();
    expect(memberBoolean(body, member('n'))).toBeUndefined();
    expect(memberText(body, member('missing'), 100)).toBeUndefined();
  });
});
