import { describe, expect, test } from 'vitest';
import { toolsAt } from '../../../test/record-kit.ts';
import { expectedAuthorization } from '../../../test/sigv4-check.ts';
import { SignFault } from '../sign.ts';
import { readAwsKey, signV4 } from './sigv4.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const key = `AKIDEXAMPLE|${secret}|us-east-1`;
const tools = toolsAt(Date.UTC(2015, 7, 30, 12, 36, 0));

function signed(url: string, method: 'GET' | 'POST' = 'GET', headers: Record<string, string> = {}, body = '', own = key) {
  const channel = { id: 1, baseUrl: '', key: own, organization: '', other: '' };
  const request = {
    channel,
    model: 'm',
    stream: false,
    protocol: 'x',
    url: new URL(url),
    method,
    headers,
    body: Buffer.from(body),
  };
  return signV4('service')(request, tools);
}

/** From the vendor's published test suite of Signature Version 4. */
const published: readonly (readonly [name: string, url: string, method: 'GET' | 'POST', signature: string])[] = [
  ['get-vanilla', 'https://example.amazonaws.com/', 'GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'https://example.amazonaws.com/', 'POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    'https://example.amazonaws.com/?Param2=value2&Param1=value1',
    'GET',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
];

test.each(published)('%s is signed as the published suite says', async (_name, url, method, signature) => {
  const { headers } = await signed(url, method);
  expect(headers?.authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
  expect(headers?.['x-amz-date']).toBe('20150830T123600Z');
});

test('temporary credentials bring their token, signed as the published suite says', async () => {
  const token = '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267';
  const temporary = `AKIDEXAMPLE|${secret}|${token}|us-east-1`;
  const { headers } = await signed('https://example.amazonaws.com/', 'GET', {}, '', temporary);
  expect(headers).toMatchObject({
    'x-amz-security-token': token,
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
  });
});

test('a path whose parts are escaped is escaped once more, as the service does', async () => {
  const url = 'https://bedrock.example/model/a.b%3A0/invoke';
  const type = { 'content-type': 'application/json' };
  const { headers } = await signed(url, 'POST', type, '{"a":"ü"}');
  const arrived = { ...type, host: 'bedrock.example', ...headers };
  const body = Buffer.from('{"a":"ü"}');
  expect(headers?.authorization).toBe(
    expectedAuthorization({ method: 'POST', url: new URL(url), headers: arrived, body }, secret),
  );
  expect(headers?.authorization).toContain('SignedHeaders=content-type;host;x-amz-date,');
});

describe('keys', () => {
  test('three parts sign, a fourth is the token of a session, two are a bearer', () => {
    expect(readAwsKey(' a | b |us-gov-east-1')).toEqual({
      kind: 'pair',
      accessKeyId: 'a',
      secretAccessKey: 'b',
      region: 'us-gov-east-1',
    });
    expect(readAwsKey('a|b|t/+=|eu-west-1')).toEqual({
      ...{ kind: 'pair', accessKeyId: 'a', secretAccessKey: 'b' },
      ...{ sessionToken: 't/+=', region: 'eu-west-1' },
    });
    expect(readAwsKey('token|eu-west-1')).toEqual({ kind: 'bearer', token: 'token', region: 'eu-west-1' });
  });

  test.each(['', 'a', 'a|b', 'a|b|nowhere', 'a||us-east-1', 'a|b||us-east-1', 'a|b|c|d|us-east-1'])(
    '"%s" is refused without being repeated',
    async (bad) => {
      expect(readAwsKey(bad)).toBeUndefined();
      const channel = { id: 1, baseUrl: '', key: bad, organization: '', other: '' };
      const url = new URL('https://example.amazonaws.com/');
      const request = { channel, model: 'm', stream: false, protocol: 'x', url, headers: {}, body: Buffer.alloc(0) };
      const fault = await Promise.resolve(signV4('s')(request, tools)).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(SignFault);
      expect(fault).toMatchObject({ message: 'invalid aws secret key', isKeyBad: true });
    },
  );
});
