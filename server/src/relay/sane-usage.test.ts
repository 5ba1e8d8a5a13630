import { familySurfaces, scanObject, type TokenUsage } from '@tollgate/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { costOf, type PriceSnapshot } from '../billing/index.ts';
import type { Inquiry } from './inquiry.ts';
import { saneReport } from './sane-usage.ts';
import { estimatePrompt, resolveUsage, usageTold } from './usage.ts';

const plain: TokenUsage = { prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

function inquiryFor(body: object, model = 'gpt-4o'): Inquiry {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = scanObject(bytes);
  if (!result.ok) throw new Error('no object');
  const peek = { scan: result.scan, model, stream: false, wantsUsage: false, cap: undefined, n: 1 };
  return { bytes, peek } as unknown as Inquiry;
}

interface Case {
  readonly factor?: number;
  readonly cap?: number;
  /** What went upstream; absent = nobody knows. */
  readonly sent?: () => object;
}

function judge(usage: TokenUsage, inquiry: Inquiry, { factor = 4, cap, sent }: Case = {}): TokenUsage {
  const call = {
    promptCeiling: estimatePrompt(inquiry.peek.scan).ceiling,
    capIsCallers: cap !== undefined,
    completionCap: cap ?? 4096,
    snapshot: { options: { UsagePromptFactor: factor } },
  };
  const attempt = sent && { outgoing: { upstreamModel: undefined }, sentBody: () => Buffer.from(JSON.stringify(sent())) };
  const report = saneReport({ usage, text: '', unkeptBytes: 0 }, call, inquiry, attempt);
  return report.usage ?? plain;
}

const question = inquiryFor({ messages: [{ role: 'user', content: 'x'.repeat(1000) }] });

test('100,000,000 prompt tokens for a question of 1 KB are charged as what the question can have been', () => {
  const charged = judge({ ...plain, prompt: 1e8, completion: 5 }, question);
  expect(charged.prompt).toBeLessThan(202_000);
  expect(charged).toMatchObject({ completion: 5, anomaly: true });
  expect(judge({ ...plain, prompt: 9, completion: 1e8 }, question)).toMatchObject({ completion: 2_100_016, anomaly: true });
  expect(judge({ ...plain, prompt: 9, completion: 1e8 }, question, { cap: 100 }).completion).toBe(121);
});

test('an upstream that may read by itself is believed more, and the operator may believe everything', () => {
  for (const body of [{ tools: [{ type: 'web_search' }] }, { previous_response_id: 'r' }, { input: 'see https://a.example/b' }]) {
    const claim = { ...plain, prompt: 4_000_000, completion: 1 };
    expect(judge(claim, inquiryFor(body))).toEqual(claim);
    expect(judge({ ...claim, prompt: 1e8 }, inquiryFor(body)).prompt).toBeLessThan(5_001_000);
  }
  expect(judge({ ...plain, prompt: 300_000 }, inquiryFor({}, 'sonar-deep-search')).anomaly).toBe(false);
  expect(judge({ ...plain, prompt: 1e8, completion: 1e8 }, question, { factor: 0 })).toMatchObject({
    prompt: 1e8,
    anomaly: false,
  });
});

test('with the bound off no length that an upstream tells makes a charge impossible', () => {
  const price: PriceSnapshot = { ...plainPrice, kind: 'call', perSecond: true, callPriceNano: 1_000_000 };
  const told = (seconds: unknown) => {
    const body = { text: 'hi', usage: { type: 'duration', seconds } };
    const reading = familySurfaces.get('transcriptions')?.readResponse(Buffer.from(JSON.stringify(body)));
    const usage = reading?.kind === 'answer' ? reading.usage : undefined;
    return usage && costOf(price, usageTold(price, undefined, { ...judge(usage, question, { factor: 0 }), source: 'upstream' }));
  };
  expect(told(60)).toBeGreaterThan(0);
  for (const seconds of [1e6, 1e7, 1e16, 1e300, '1e12', -1, 'long']) expect(Number.isSafeInteger(told(seconds) ?? 0)).toBe(true);
});

test('what a channel adds lets an upstream read, too; it is asked for by a claim that is too large, and by no other', () => {
  let asked = 0;
  const sent = () => {
    asked += 1;
    return { tools: [{ type: 'web_search' }] };
  };
  expect(judge({ ...plain, prompt: 150_000, completion: 1 }, question, { sent }).prompt).toBe(150_000);
  expect(asked).toBe(0);
  expect(judge({ ...plain, prompt: 4_000_000, completion: 1 }, question, { sent }).prompt).toBe(4_000_000);
  expect(asked).toBe(1);
  expect(judge({ ...plain, prompt: 4_000_000, completion: 1 }, question, { sent: () => ({}) }).prompt).toBeLessThan(202_000);
});

const claims = fc
  .tuple(fc.nat(1e8), fc.nat(1e8), fc.nat(1e6), fc.nat(1e8), fc.nat(1e8), fc.nat(1e8))
  .map(([prompt, cached, completion, written, heard, seen]) => {
    const usage = { ...plain, prompt, completion, cached: Math.min(cached, prompt) };
    const cacheWrite = Math.min(written, prompt - usage.cached);
    const audioPrompt = Math.min(heard, prompt);
    return { ...usage, cacheWrite, cacheWrite1h: cacheWrite, audioPrompt, imagePrompt: Math.min(seen, prompt - audioPrompt) };
  });
const bodies = fc.record({ text: fc.string({ maxLength: 3000, unit: 'binary' }), media: fc.nat(40_000) });

test('an honest claim, at most a token a byte, passes untouched: texts, pictures, sounds and files', () => {
  fc.assert(
    fc.property(bodies, fc.double({ min: 0, max: 1, noNaN: true }), ({ text, media }, share) => {
      const url = `data:image/png;base64,${'A'.repeat(media)}`;
      const inquiry = inquiryFor({ messages: [{ role: 'user', content: [{ text }, { image_url: { url } }] }] });
      const prompt = Math.floor(inquiry.bytes.length * share);
      const claim = { ...plain, prompt, cached: Math.floor(prompt / 2), completion: 100 };
      expect(judge(claim, inquiry)).toBe(claim);
    }),
  );
});

test('whatever is claimed: bounded, marked when it was cut, its parts within it, and never dearer than the claim', () => {
  const price = { ...plainPrice, cacheWriteRatioNano: 1_250_000_000, cacheRatioNano: 100_000_000, audioRatioNano: 8_000_000_000 };
  fc.assert(
    fc.property(claims, bodies, (claim, { text }) => {
      const inquiry = inquiryFor({ messages: [{ role: 'user', content: text.replace(/[a-z]/gi, '') }] });
      const charged = judge(claim, inquiry);
      const { prompt, cached, cacheWrite, cacheWrite1h = 0, audioPrompt = 0, imagePrompt = 0 } = charged;
      expect(prompt).toBeLessThanOrEqual(inquiry.bytes.length * 4 + 200_100);
      expect(charged.anomaly).toBe(prompt !== claim.prompt);
      expect(cached + cacheWrite).toBeLessThanOrEqual(prompt);
      expect(cacheWrite1h).toBeLessThanOrEqual(cacheWrite);
      expect(audioPrompt + imagePrompt).toBeLessThanOrEqual(prompt);
      expect(costOf(price, charged)).toBeLessThanOrEqual(costOf(price, claim));
    }),
  );
});

test('what we count ourselves is bounded by the cap like what is told, whether the prompt was told or not', async () => {
  const tokenizer = {
    count: async (_model: string, texts: readonly string[]) => ({ counts: texts.map((text) => text.length), counted: true }),
  };
  const inquiry = { ...question, protocol: 'openai-chat' } as Inquiry;
  const call = { model: 'm', promptEstimate: 9, price: plainPrice, capIsCallers: true, completionCap: 100 };
  const count = (length: number, more = {}, capIsCallers = true) =>
    resolveUsage(tokenizer as never, { ...call, capIsCallers }, inquiry, {
      usage: undefined,
      text: 'x'.repeat(length),
      unkeptBytes: 0,
      ...more,
    });
  expect(await count(121)).toMatchObject({ completion: 121, anomaly: false });
  expect(await count(122)).toMatchObject({ completion: 121, anomaly: true });
  expect(await count(5_000, { promptUsage: { ...plain, prompt: 7 } })).toMatchObject({
    prompt: 7,
    completion: 121,
    anomaly: true,
  });
  expect(await count(50, { unkeptBytes: 4_000, keptBytes: 50 })).toMatchObject({ completion: 121, source: 'estimated' });
  expect(await count(5_000, {}, false)).toMatchObject({ completion: 5_000, anomaly: false });
});
