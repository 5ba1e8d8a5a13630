import {
  chargedTools,
  nano,
  nanoToNumber,
  nanoToText,
  type PriceSnapshot,
  type PriceTier,
  tierOf,
  type Usage,
} from '../billing/index.ts';
import type { AskedPictures } from './families/size.ts';

interface PriceTexts {
  /** Contract 7.7. */
  readonly content: string;
  /** The same when sound was read or spoken. */
  readonly spoken: string;
  /** The members of `other` that only the price decides (contract 7.8), without braces. */
  readonly other: string;
}

const textsOfPrices = new WeakMap<PriceSnapshot, Map<PriceTier, PriceTexts>>();

/** Many calls share one price record, and it may share its tiers with others: the texts of each are made once. */
function priceTexts(price: PriceSnapshot, prompt: number): PriceTexts {
  const tier = price.kind === 'call' ? price : tierOf(price, prompt);
  const ofPrice = textsOfPrices.get(price) ?? new Map<PriceTier, PriceTexts>();
  const known = ofPrice.get(tier);
  if (known !== undefined) return known;
  const texts = {
    content: contentOf(price, tier, ''),
    spoken: contentOf(price, tier, soundContent(price)),
    other: JSON.stringify(fieldsOf(price, tier)).slice(1, -1),
  };
  textsOfPrices.set(price, ofPrice.set(tier, texts));
  return texts;
}

/** What a usage row says in words (contract 7.7). */
export function logContent(price: PriceSnapshot, usage: Usage, picture: AskedPictures | undefined): string {
  const texts = priceTexts(price, usage.prompt);
  const content = (isSpoken(price, usage) ? texts.spoken : texts.content) + toolContent(price, usage);
  if (picture !== undefined) return `${content}, 大小 ${picture.size}, 品质 ${picture.quality}${fewerContent(usage)}`;
  return usage.prompt + usage.completion === 0 ? `${content}（可能是上游超时）` : content;
}

function toolContent(price: PriceSnapshot, usage: Usage): string {
  return chargedTools(price, usage.tools)
    .map(({ tool, uses, priceNano }) => `，工具 ${tool} ${uses} 次（每千次 $${nanoToNumber(priceNano)}）`)
    .join('');
}

function fewerContent({ picturesAsked, pictures }: Usage): string {
  return picturesAsked === undefined ? '' : `，请求图片 ${picturesAsked}，交付图片 ${pictures ?? 0}`;
}

/** The members of `other` about price and usage (contract 7.8), without braces; never empty. */
export function logFields(price: PriceSnapshot, usage: Usage): string {
  let text = priceTexts(price, usage.prompt).other;
  if (usage.cacheWrite > 0) {
    text += `,"cache_creation_tokens":${usage.cacheWrite},"cache_creation_ratio":${nanoToNumber(tierOf(price, usage.prompt).cacheWriteRatioNano)}`;
  }
  if ((usage.cacheWrite1h ?? 0) > 0) {
    const ratioNano = price.cacheWrite1hRatioNano ?? tierOf(price, usage.prompt).cacheWriteRatioNano;
    text += `,"cache_creation_1h_tokens":${usage.cacheWrite1h},"cache_creation_1h_ratio":${nanoToNumber(ratioNano)}`;
  }
  if (isSpoken(price, usage)) text += soundFields(price, usage);
  if ((usage.imagePrompt ?? 0) > 0 && price.imageRatioNano !== undefined) {
    text += `,"image":true,"image_input":${usage.imagePrompt},"image_ratio":${nanoToNumber(price.imageRatioNano)}`;
  }
  if ((usage.imageCompletion ?? 0) > 0 && price.imageCompletionRatioNano !== undefined) {
    text += `,"image_output":${usage.imageCompletion},"image_completion_ratio":${nanoToNumber(price.imageCompletionRatioNano)}`;
  }
  if (usage.tools !== undefined) {
    const prices = chargedTools(price, usage.tools).map(({ tool, priceNano }) => [tool, nanoToNumber(priceNano)]);
    text += `,"tools":${JSON.stringify(usage.tools)},"tool_price":${JSON.stringify(Object.fromEntries(prices))}`;
  }
  if (usage.picturesAsked !== undefined)
    text += `,"pictures_asked":${usage.picturesAsked},"pictures_delivered":${usage.pictures ?? 0}`;
  return text;
}

function isSpoken(price: PriceSnapshot, usage: Usage): boolean {
  return price.audioRatioNano !== undefined && (usage.audioPrompt ?? 0) + (usage.audioCompletion ?? 0) > 0;
}

function soundFields(price: PriceSnapshot, { prompt, completion, audioPrompt = 0, audioCompletion = 0 }: Usage): string {
  const fields = {
    audio: true,
    audio_input: audioPrompt,
    audio_output: audioCompletion,
    text_input: prompt - audioPrompt,
    text_output: completion - audioCompletion,
    audio_ratio: nanoToNumber(price.audioRatioNano ?? 0),
    audio_completion_ratio: spokenRatio(price),
  };
  return `,${JSON.stringify(fields).slice(1, -1)}`;
}

function spokenRatio({ audioCompletionRatioNano }: PriceSnapshot): number {
  return audioCompletionRatioNano === undefined ? 1 : nanoToNumber(audioCompletionRatioNano);
}

function soundContent({ audioRatioNano = 0, audioCompletionRatioNano = nano }: PriceSnapshot): string {
  return `，音频倍率 ${nanoToText(audioRatioNano)}，音频补全倍率 ${nanoToText(audioCompletionRatioNano)}`;
}

function contentOf(price: PriceSnapshot, tier: PriceTier, sound: string): string {
  const pool = price.surchargeNano === undefined ? '' : `，突发备用号池倍率 ${nanoToText(price.surchargeNano)}`;
  const { serviceTier, serviceTierNano } = price;
  const served = serviceTierNano === undefined ? '' : `，服务档位 ${serviceTier} 倍率 ${nanoToText(serviceTierNano)}`;
  const group = `分组倍率 ${nanoToText(price.groupRatioNano)}${pool}${served}`;
  return price.kind === 'call'
    ? `${callPriceText(price)}，${group}`
    : `模型倍率 ${nanoToText(tier.modelRatioNano)}，补全倍率 ${nanoToText(tier.completionRatioNano)}${sound}，${group}`;
}

function fieldsOf(price: PriceSnapshot, tier: PriceTier): Record<string, number | boolean | string | undefined> {
  const groupRatio = nanoToNumber(price.groupRatioNano);
  return {
    model_ratio: nanoToNumber(tier.modelRatioNano),
    group_ratio: groupRatio,
    ...(price.specialGroup ? { user_group_ratio: groupRatio } : {}),
    completion_ratio: nanoToNumber(tier.completionRatioNano),
    model_price: price.kind === 'call' ? nanoToNumber(price.callPriceNano) : -1,
    cache_ratio: nanoToNumber(tier.cacheRatioNano),
    ...(price.perSecond === true ? { per_second: true } : {}),
    ...(tier.upTo === undefined ? {} : { tier_up_to: tier.upTo }),
    ...(price.surchargeNano === undefined ? {} : { backup_pool: true, backup_pool_ratio: nanoToNumber(price.surchargeNano) }),
    ...(price.serviceTierNano === undefined
      ? {}
      : { service_tier: price.serviceTier, service_tier_ratio: nanoToNumber(price.serviceTierNano) }),
  };
}

/** A second costs little: its price is written in full. */
function callPriceText({ callPriceNano, perSecond }: PriceSnapshot): string {
  return perSecond === true ? `模型每秒价格 ${nanoToNumber(callPriceNano)}` : `模型价格 ${nanoToText(callPriceNano)}`;
}
