import { type ImportCounts, type ImportKind, type ImportMode, type ImportTotals, importKinds } from '@tollgate/contract';
import type { Product } from './product.ts';

/** Something that an operator should know of; `key` is the row's id or name at the source. */
export interface Note {
  readonly kind: ImportKind;
  readonly what: string;
  readonly key: string;
  readonly detail: string;
}

export interface Report {
  readonly product: Product;
  readonly mode: ImportMode;
  readonly counts: Readonly<Record<ImportKind, ImportCounts>>;
  /** The first of each sort. */
  readonly notes: readonly Note[];
  /** kind + what -> how many. */
  readonly noted: Readonly<Record<string, number>>;
  /** What the source's users have, and what was opened here for them, read back from the ledger. */
  readonly before: ImportTotals;
  readonly after: ImportTotals | undefined;
  /** Debts that the source had below zero, as a positive sum; they are not brought over. */
  readonly debts: number;
  /** Digests over the keys of the tokens that were found, and of those that are here. */
  readonly tokensHash: { readonly before: string; readonly after: string | undefined };
  /** Tables with rows that stay where they are. */
  readonly left: Readonly<Record<string, number>>;
  readonly ok: boolean;
}

const maxNotes = 20;

/** Gathers what the report tells. */
export interface Tally {
  readonly counts: Record<ImportKind, ImportCounts>;
  readonly notes: Note[];
  readonly noted: Map<string, number>;
  note(kind: ImportKind, what: string, key: string | number, detail?: string): void;
  /** The row is left out. */
  skip(kind: ImportKind, what: string, key: string, detail?: string): void;
}

export function createTally(): Tally {
  const blank = (): ImportCounts => ({ found: 0, imported: 0, known: 0, changed: 0, skipped: 0 });
  const counts = Object.fromEntries(importKinds.map((kind) => [kind, blank()])) as Record<ImportKind, ImportCounts>;
  const notes: Note[] = [];
  const noted = new Map<string, number>();
  const note: Tally['note'] = (kind, what, key, detail = '') => {
    const name = `${kind}.${what}`;
    const count = (noted.get(name) ?? 0) + 1;
    noted.set(name, count);
    if (count <= maxNotes) notes.push({ kind, what, key: String(key), detail });
  };
  return {
    counts,
    notes,
    noted,
    note,
    skip(kind, what, key, detail) {
      counts[kind].skipped += 1;
      note(kind, what, key, detail);
    },
  };
}

/** Of `users`; their names in Chinese and English. */
const identities = {
  github_id: ['GitHub', 'GitHub'],
  oidc_id: ['OIDC', 'OIDC'],
  wechat_id: ['微信', 'WeChat'],
  telegram_id: ['Telegram', 'Telegram'],
  linux_do_id: ['Linux DO', 'Linux DO'],
} as const;

/** What each note means, and what to do about it. */
export const meanings: Readonly<Record<string, readonly [zh: string, en: string]>> = {
  ...Object.fromEntries(
    (['users', 'tokens', 'redemptions'] as const).map((kind) => [
      `${kind}.beyond_32_bit`,
      [
        '数值超出 32 位：按原值导入，请确认是否有意为之',
        'figure beyond 32 bits: brought over as it is; look whether it is meant',
      ] as const,
    ]),
  ),
  'users.negative': ['余额为负：以 0 开户，欠款不导入', 'balance below zero: opened with 0, the debt is not brought over'],
  'users.overflow': ['数值无法精确保存：未导入该用户', 'figure that cannot be held exactly: the user was left out'],
  'users.overflow_since': [
    '导入之后数值变得无法精确保存：账号在此保持最后已知的数额，其日志照常导入',
    'has figures by now that cannot be held exactly: keeps the last known ones here, and its log comes on',
  ],
  'users.bad_json': ['设置不是 JSON：留空', 'settings are not JSON: left empty'],
  'users.deleted': ['在来源中已删除：未导入', 'deleted there: left out'],
  'users.deleted_since': [
    '导入之后在来源中被删除：--delta 会停用该账号、结束其会话，并收回剩余额度',
    'deleted there since it was brought over: --delta switches the account off, ends its sessions and takes back what is left',
  ],
  'users.missing': [
    '导入之后从来源中消失：账号在此保持不变，其最后已知的数额计入来源合计；若确已删除，请在此停用',
    'is no longer there since it was brought over: stays here as it is, its last known sums count as those of there; switch it off here if it was deleted',
  ],
  'users.short': [
    '两边同时有消费：不足的部分无法再次扣除',
    'spent there and here at once: what is missing could not be taken again',
  ],
  'users.renamed': [
    '用户名在此已被占用：加了编号；该用户用新名称或邮箱登录',
    'name is taken here: got a number; such a user signs in with the new name or by e-mail',
  ],
  'users.linked': [
    '即本站的超级管理员：余额与令牌归入该账号',
    "is this installation's root: balance and tokens went to that account",
  ],
  'users.demoted': ['第二个超级管理员：作为管理员导入', 'a second root: brought over as administrator'],
  'users.default_password': [
    '使用众所周知的默认密码：修改之前只能从本机或内网登录',
    'has the password that everybody knows: may sign in from this machine or a private network only until it is changed',
  ],
  'users.password_unusable': [
    '密码不是可验证的 bcrypt 散列：需要重置',
    'password is not a bcrypt hash that may be verified: needs a reset',
  ],
  'users.invite_code_changed': ['邀请码在此已被占用：换成了新的', 'invite code is taken here: got another one'],
  'users.second_factor': ['两步验证未导入：需要重新设置', 'second factor was not brought over: must be set up again'],
  'users.factor_brought': [
    '两步验证已随账号导入：验证器照常使用；恢复码未导入，需要时重新设置一次',
    'second factor came along: the authenticator goes on working; recovery codes did not, set it up again to get new ones',
  ],
  'users.door_lost': [
    '只有 Discord 或飞书登录方式，而此处没有；没有密码也没有邮箱：无法登录，请为其设置密码',
    'came in by Discord or Lark only, which are no doors here, and has neither password nor address: cannot get in until you set a password',
  ],
  ...Object.fromEntries(
    Object.entries(identities).map(([column, [zh, en]]) => [
      `users.${column}`,
      [
        `${zh} 身份在此已属于另一个账号：未导入，该用户不能以此登录`,
        `${en} identity belongs to another account here: did not come, such a user cannot sign in by it`,
      ] as const,
    ]),
  ),
  'users.webhook_unsigned': [
    '以 Webhook 接收余额提醒，但其密钥未导入：请求不带签名，直到用户重新填写密钥',
    'is warned by a webhook whose secret did not come: what it is sent has no signature until the user enters the secret again',
  ],
  'users.other_way': [
    '以 Bark、Gotify 等方式接收余额提醒，而此处没有：改为默认方式，直到用户另行选择',
    'is warned of a low balance by Bark, Gotify or the like, which are no ways here: by the usual one until the user chooses another',
  ],
  'users.warning_brought': [
    '以 Webhook 接收余额提醒：此前的导入遗漏，现已补上',
    'is warned by a webhook: left out by an import of before, and came along now',
  ],
  'tokens.unusable': ['密钥无法由客户端发送：未导入', 'key cannot be sent by a client of ours: left out'],
  'tokens.taken': ['密钥已存在：未导入', 'key is here already: left out'],
  'tokens.deleted': ['在来源中已删除：未导入', 'deleted there: left out'],
  'tokens.deleted_since': [
    '导入之后在来源中被删除：--delta 会在此删除该令牌',
    'deleted there since it was brought over: --delta deletes it here, too',
  ],
  'tokens.ownerless': ['所属用户未导入：未导入', 'its user was not brought over: left out'],
  'tokens.negative': ['剩余额度为负：改为 0', 'remaining quota below zero: became 0'],
  'tokens.overflow': ['数值无法精确保存：未导入该令牌', 'figure that cannot be held exactly: the token was left out'],
  'tokens.bad_ips': [
    'IP 列表中有无法识别的地址：导入后为停用状态',
    'an address that cannot be read in its list: came switched off',
  ],
  'tokens.bad_json': ['设置不是 JSON：导入后为停用状态', 'settings are not JSON: came switched off'],
  'tokens.settings_left': [
    '备用分组、心跳或计费标签在此没有对应：令牌照常导入，这些设置未导入',
    'its backup group, heartbeat or billing tag has no counterpart here: it came, they did not',
  ],
  'channels.unmapped_type': [
    '没有对应的渠道类型：作为自定义渠道导入，并停用',
    'its type has no counterpart: came as a custom channel, switched off',
  ],
  'channels.bad_json': [
    'JSON 无法读取：该字段留空，渠道导入后为停用状态',
    'JSON that cannot be read: that field is empty, the channel came switched off',
  ],
  'channels.review': [
    '凭据的写法在此不同：导入后为停用状态，请检查密钥',
    'its credential is written in another way here: came switched off, look at its key',
  ],
  'channels.refused': [
    '字段在此不合规：作为自定义渠道导入，并停用',
    'its fields are not acceptable here: came as a custom channel, switched off',
  ],
  'channels.unusable': ['完全无法导入', 'could not be brought over at all'],
  'channels.deleted': ['在来源中已删除：未导入', 'deleted there: left out'],
  'channels.kept': [
    '导入之后在来源中有改动：此处保持不变，需要时请手动修改',
    'changed there since it came: stays as it is here, change it by hand if it should',
  ],
  'channels.bounded': [
    '优先级或权重超出此处的范围：改为最接近的值，请核对先后顺序',
    'priority or weight beyond what can be entered here: became the nearest one, look at the order of channels',
  ],
  'channels.deleted_since': [
    '导入之后在来源中被删除：此处保持不变，需要时请手动停用',
    'deleted there since it was brought over: stays here as it is, switch it off by hand if it should',
  ],
  'channels.own_prices': [
    '渠道自带价格，而此处价格按模型保存：价格未导入',
    'has prices of its own, which are kept per model here: not brought over',
  ],
  'channels.other_way': [
    '凭据类型或接口版本的设置在此没有对应：导入后为停用状态，请检查',
    'its kind of credential or version of an interface has no counterpart: came switched off, look at it',
  ],
  'channels.settings_left': [
    '部分开关或参数覆盖的操作（operations）在此没有对应：渠道照常导入，这些未导入',
    'some of its switches, or the operations of its parameter override, have no counterpart: it came, they did not',
  ],
  'options.unknown': ['在此没有对应的设置：未导入', 'has no counterpart here: not brought over'],
  'options.refused': ['取值在此不合规：未导入', 'value is not acceptable here: not brought over'],
  'options.bad_entry': ['价格或倍率无法读取：未导入', 'price or ratio that cannot be read: not brought over'],
  'options.extra_ratios': [
    '特殊 token 的价格：未导入，请手动填写',
    'prices for special tokens: not brought over, enter them by hand',
  ],
  'redemptions.used': ['在来源中已使用：未导入', 'used there: left out'],
  'redemptions.unusable': ['无人能兑换的兑换码或金额：未导入', 'code or amount that nobody could redeem: left out'],
  'redemptions.taken': ['兑换码已存在：未导入', 'code is here already: left out'],
  'redemptions.deleted': ['在来源中已删除：未导入', 'deleted there: left out'],
  'redemptions.deleted_since': [
    '导入之后在来源中被删除：--delta 会在此停用该兑换码',
    'deleted there since it was brought over: --delta switches it off here',
  ],
  'redemptions.redeemed_twice': ['在两边都被兑换：请查看这两个用户', 'was redeemed here and there: look at both users'],
  'logs.elsewhere': [
    '来源中没有日志，但用户有消费记录：日志可能保存在另一个数据库（LOG_SQL_DSN）中，未导入',
    'there is no log although users have spent: it may lie in another database (LOG_SQL_DSN) and did not come',
  ],
  'logs.later': [
    '旧系统仍在写入：其最近两分钟的日志由 --delta 导入',
    'the old server still writes: the rows of its last two minutes come with --delta',
  ],
  'logs.missed': [
    '这些行写入得晚，编号却小于已导入的行：未导入',
    'rows that were written late, with numbers below those that had come: did not come',
  ],
  'logs.beyond': [
    '额度、token 数或用时大得不可能属于一次调用：该数值记为 0，该行照常导入',
    'quota, tokens or time of more than any call: that figure became 0, the row came',
  ],
  'logs.userless': ['所属用户未导入：未导入', 'belongs to a user who was not brought over: left out'],
};
