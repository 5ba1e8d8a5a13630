import { expect, test } from 'vitest';
import { createUpstreamClient, UpstreamFault } from '../platform/http/client.ts';
import { createGuard, EgressRefused, type Guard } from '../platform/http/guard.ts';
import { createLocalHealth } from '../routing/index.ts';
import { transportFault } from './attempt.ts';
import { describe } from './failure.ts';

/** A network whose resolver, or whose machine, is out of order. */
function guardFailing(code: string): Guard {
  const fail = Object.assign(new Error(code), { code });
  return { target: (url) => ({ origin: url.origin, lookup: (_host, _options, callback) => callback(fail, '', 4) }) };
}

function faultWith(guard: Guard, url = 'http://upstream.example/'): Promise<UpstreamFault> {
  const client = createUpstreamClient({ guard, connectTimeoutMs: 500 });
  return new Promise<UpstreamFault>((resolve, reject) => {
    const unexpected = (): undefined => void reject(new Error('an answer'));
    client.send(
      { url: new URL(url), method: 'GET', headers: {}, body: undefined, firstByteTimeoutMs: 500, idleTimeoutMs: 500 },
      { head: unexpected, data: unexpected, end: unexpected, fault: resolve },
    );
  }).finally(() => client.close());
}

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAI_AGAIN', 'ENETUNREACH'])(
  '%s is our own trouble: 503, and no channel is blamed however often',
  async (code) => {
    const fault = transportFault(await faultWith(guardFailing(code)));
    expect([fault.status, fault.code, fault.evidence]).toEqual([503, 'overloaded', undefined]);
    const health = createLocalHealth({ monotonicMs: () => 0, random: () => 0, onChange: () => undefined });
    const subject = { channelId: 1, keyId: 'key', keyIndex: 0, model: 'm' };
    for (let i = 0; i < 100; i++) {
      if (fault.evidence === undefined) health.released(subject);
      else health.failed(subject, fault.evidence);
    }
    expect(health.admission(1, 'key', 'm')).toBe('in');
  },
);

test('a name that does not exist, a refused connection and silence are about the channel', async () => {
  expect(transportFault(await faultWith(guardFailing('ENOTFOUND'))).evidence).toMatchObject({
    class: 'network',
    code: 'connect',
  });
  for (const kind of ['connect', 'reset', 'timeout', 'protocol'] as const) {
    const fault = transportFault(new UpstreamFault(kind, 'driver text with http://secret'));
    expect(fault.evidence).toMatchObject({ class: 'network', status: 0 });
    expect(fault.message).not.toContain('secret');
  }
});

test('the record of a call says what happened, which its caller is not told', async () => {
  const refused = transportFault(await faultWith(createGuard({ allowPrivate: [], rewrite: [] }), 'http://127.0.0.1:11434/'));
  expect(describe(refused)).toMatch(/^local do_request_failed: .+ \(127\.0\.0\.1 .+ ALLOW_PRIVATE_UPSTREAMS\)$/);
  expect(describe(transportFault(await faultWith(guardFailing('EAI_AGAIN'))))).toMatch(/^local overloaded: .+ \(EAI_AGAIN\)$/);
  expect(refused.message).not.toContain('private');
});

test('an address that our own rules refuse says nothing about the channel', async () => {
  const guard: Guard = {
    target: () => {
      throw new EgressRefused('private');
    },
  };
  expect(transportFault(await faultWith(guard)).evidence).toBeUndefined();
});
