import { logType } from '@tollgate/contract';
import {
  costOf,
  type LogDraft,
  nano,
  nanoToNumber,
  nanoToText,
  type PriceSnapshot,
  type Signer,
  type Usage,
  unitsOfSeconds,
  writeReceipt,
} from '../../billing/index.ts';
import type { KeyRecord } from '../../identity/index.ts';
import type { TaskCharge } from '../../tasks/index.ts';
import { plainUsage } from '../usage.ts';
import type { TaskOrder } from './order.ts';

/** What has no fixed price but a ratio counts as this many tokens, as a picture does (contract 7.5). */
const tokensPerUnit = 1_250;

export interface Charging {
  readonly id: string;
  readonly ip: string;
  readonly key: KeyRecord;
  readonly order: TaskOrder;
  readonly price: PriceSnapshot;
  readonly group: string;
  /** Without the log the books still want the amounts and their receipt (rulings 3). */
  readonly isLogged: boolean;
}

/** The charge as it is booked when the task succeeds: fixed at the submit, whatever prices do meanwhile. */
export function chargeOf({ id, ip, key, order, price, group, isLogged }: Charging, sign: Signer): TaskCharge {
  const usage = usageOf(order, price);
  const cost = costOf(price, usage);
  const groupRatio = nanoToNumber(price.groupRatioNano);
  const draft: LogDraft = {
    type: logType.consume,
    userId: key.user.id,
    username: key.user.username,
    tokenId: key.tokenId,
    tokenName: key.tokenName,
    model: order.model,
    channelId: 0,
    group,
    promptTokens: usage.prompt,
    completionTokens: 0,
    useTime: 0,
    isStream: false,
    content: isLogged ? contentOf(order, price) : '',
    other: isLogged ? JSON.stringify(fieldsOf(price, groupRatio)) : '{}',
    requestId: id,
    ip,
    receipt: writeReceipt(id, price, usage, cost, sign),
    ...(isLogged ? {} : { hidden: true }),
  };
  return { cost, draft };
}

/** With what administrators see of its way, where there is a log. */
export function withRoute(charge: TaskCharge, tried: readonly number[], route: string): TaskCharge {
  if (charge.draft.hidden === true) return charge;
  const other = charge.draft.other.slice(0, -1);
  const info = `"use_channel":[${tried.map((id) => `"${id}"`).join(',')}],"route":${route}`;
  return { ...charge, draft: { ...charge.draft, other: `${other},"admin_info":{${info}}}` } };
}

/** Seconds count where the price is for a second, or for tokens; else what is made is one, whatever its length. */
export function isTimed({ kind, perSecond }: PriceSnapshot): boolean {
  return kind === 'token' || perSecond === true;
}

function usageOf({ unitsNano: sizeNano = nano, input: { seconds } }: TaskOrder, price: PriceSnapshot): Usage {
  const units = seconds !== undefined && isTimed(price) ? Math.round((unitsOfSeconds(seconds) / nano) * sizeNano) : sizeNano;
  const prompt = price.kind === 'call' ? 0 : Math.round((tokensPerUnit * units) / nano);
  return { ...plainUsage(prompt, 0, 'counted'), ...(units === nano ? {} : { unitsNano: units }) };
}

/** Contract 7.7; the gate adds the name of a drawing. */
function contentOf({ action, input, unitsNano: sizeNano = nano }: TaskOrder, price: PriceSnapshot): string {
  const size = sizeNano === nano ? '' : `，大小倍率 ${nanoToText(sizeNano)}`;
  const seconds = input.seconds === undefined ? '' : `，时长 ${input.seconds} 秒`;
  return `${priceText(price)}，分组倍率 ${nanoToText(price.groupRatioNano)}${size}，操作 ${action}${seconds}`;
}

function priceText({ kind, perSecond, callPriceNano, modelRatioNano }: PriceSnapshot): string {
  if (kind === 'token') return `模型倍率 ${nanoToText(modelRatioNano)}`;
  return perSecond === true ? `模型每秒价格 ${nanoToNumber(callPriceNano)}` : `模型固定价格 ${nanoToText(callPriceNano)}`;
}

function fieldsOf(price: PriceSnapshot, groupRatio: number): Record<string, number | boolean> {
  return {
    model_price: price.kind === 'call' ? nanoToNumber(price.callPriceNano) : -1,
    ...(price.kind === 'call' ? {} : { model_ratio: nanoToNumber(price.modelRatioNano) }),
    ...(price.perSecond === true ? { per_second: true } : {}),
    group_ratio: groupRatio,
    ...(price.specialGroup ? { user_group_ratio: groupRatio } : {}),
  };
}
