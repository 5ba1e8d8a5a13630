import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiRoot, keyHeaders, redactSecrets, upstreamMessage } from './channel-target.ts';

describe('texts of upstreams', () => {
  const letters = fc.constantFrom(...'abcXYZ019-_.!$&/+=:@ "\\'.split(''));
  /** Stored credentials are trimmed lines. */
  const printable = fc.string({ minLength: 8, maxLength: 60, unit: letters }).filter((text) => text.trim() === text);

  test('never show a credential, whole, escaped, in its parts or behind a prefix', () => {
    fc.assert(
      fc.property(fc.array(printable, { minLength: 1, maxLength: 3 }), fc.constantFrom('', 'sk-', 'Bearer '), (parts, prefix) => {
        const secret = prefix + parts.join('|');
        const [first = '', ...others] = parts;
        const forms = [secret, ...parts, encodeURIComponent(secret), JSON.stringify(secret)];
        const shown = redactSecrets(forms.map((form) => `no access with <${form}> here`).join('\n'), [secret]);
        for (const part of [secret, parts.length === 1 ? first : prefix + first, ...others])
          expect(shown.includes(part)).toBe(false);
      }),
    );
  });

  test('mask the secret members of a service account, and not its project', () => {
    const account = JSON.stringify({ project_id: 'my-project-1', private_key: 'line-one\nline-two' });
    expect(redactSecrets('my-project-1: line-one\\nline-two is wrong', [account])).toBe('my-project-1: *** is wrong');
  });

  test('mask what looks like somebody else’s credential and stay short', () => {
    expect(redactSecrets('key sk-abcdefghijkl is wrong', [])).toBe('key sk-*** is wrong');
    expect(redactSecrets('x'.repeat(5_000), [])).toHaveLength(1_000);
  });

  test('are the message of a JSON error, or the title of a web page, else the body', () => {
    const page = '<html>\r\n<head><title> 404 Not Found </title></head>\r\n<body><h1>404 Not Found</h1></body></html>';
    for (const text of [page, `\n<!DOCTYPE html>${page}`]) expect(upstreamMessage(text)).toBe('404 Not Found');
    for (const odd of ['<html>no title', '<title>no page</title>', '<Error><Code>AccessDenied</Code></Error>'])
      expect(upstreamMessage(odd)).toBe(odd);
    expect(upstreamMessage('{"error":{"message":"no"}}')).toBe('no');
    expect(upstreamMessage('{"error":"plain"}')).toBe('plain');
    expect(upstreamMessage('{"msg":"other"}')).toBe('other');
    for (const odd of ['', 'words', 'null', '[]', '{"error":{}}']) expect(upstreamMessage(odd)).toBe(odd);
  });
});

test('API paths hang on the root of a complete address, and on any other address as it is', () => {
  const custom = { baseUrl: '', completeUrl: true };
  expect(apiRoot('https://a.example/v1/chat/completions', custom)).toBe('https://a.example');
  expect(apiRoot('https://a.example/base/v1beta/models/{model}', custom)).toBe('https://a.example/base');
  expect(apiRoot('https://a.example/chat/completions', custom)).toBe('https://a.example');
  expect(apiRoot('https://a.example/{model}', custom)).toBe('https://a.example');
  expect(apiRoot('https://a.example/base/', { baseUrl: 'https://own.example' })).toBe('https://a.example/base');
  expect(apiRoot('', { baseUrl: 'https://own.example' })).toBe('https://own.example');
  expect(apiRoot('', undefined)).toBe('');
});

test('a key that belongs to several organizations asks for the one its channel names, where the vendor has such a header', () => {
  const channel = { key: 'k', organization: 'org-1', headerOverride: {} };
  const common = { accept: 'application/json', 'accept-encoding': 'identity', authorization: 'Bearer k' };
  const facts = { organizationHeader: 'openai-organization' };
  expect(keyHeaders(facts, channel)).toEqual({ ...common, 'openai-organization': 'org-1' });
  expect(keyHeaders(facts, { ...channel, organization: '' })).toEqual(common);
  expect(keyHeaders({}, channel)).toEqual(common);
});
