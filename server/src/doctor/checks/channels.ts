import { checksOf, fail, few, warn, when } from '../check.ts';

const some = (list: readonly string[], level: typeof warn) => when(list.length > 0, level(`${few(list)}。`, `${few(list)}.`));

export const channelChecks = checksOf('channels', {
  no_channels: {
    title: ['可用渠道', 'Channels'],
    means: ['没有启用的渠道，任何调用都无法转发。', 'Without an enabled channel no call can be answered.'],
    fix: ['在「渠道」页面添加。', 'Add one on the page Channels.'],
    judge: ({ enabled }) => when(enabled === 0, warn('一个也没有。', 'There is none.')),
  },
  auto_disabled: {
    title: ['被自动禁用的渠道', 'Channels that were switched off'],
    means: [
      '它们因为出错被自动关闭，不会自己恢复（除非开启自动启用）。',
      'Errors switched them off; they stay so unless automatic enabling is on.',
    ],
    fix: ['在「渠道」页面测试并重新启用。', 'Test and enable them on the page Channels.'],
    judge: ({ autoDisabled }) => some(autoDisabled, warn),
  },
  orphan_abilities: {
    title: ['多余的渠道能力', 'Abilities without a channel'],
    means: [
      '能力指向不存在的渠道，模型列表会多出调不通的模型。',
      'They name channels that are gone; lists show models that nobody serves.',
    ],
    fix: ['在「渠道」页面点「修复数据库一致性」。', 'Press "Repair database consistency" on the page Channels.'],
    judge: ({ orphanAbilities }) => some(orphanAbilities, fail),
  },
  abilities_missing: {
    title: ['缺少的渠道能力', 'Channels without abilities'],
    means: ['渠道启用了，却没有登记能提供的模型。', 'They are enabled, and none of their models is registered.'],
    fix: ['在「渠道」页面点「修复数据库一致性」。', 'Press "Repair database consistency" on the page Channels.'],
    judge: ({ withoutAbilities }) => some(withoutAbilities, fail),
  },
  channel_key_missing: {
    title: ['没有密钥的渠道', 'Channels without a key'],
    means: ['大多数上游会拒绝没有密钥的请求。', 'Most upstreams refuse calls without one.'],
    fix: ['编辑渠道，填入密钥。', 'Edit the channel and enter its key.'],
    judge: ({ withoutKey }) => some(withoutKey, warn),
  },
  channel_key_unreadable: {
    title: ['解不开的渠道密钥', 'Channel keys that do not open'],
    means: ['密钥是用另一个主密钥加密的，这些渠道不会被使用。', 'Another master key sealed them; these channels are left out.'],
    fix: [
      '换回原来的主密钥（SECRET_KEY 或 secret.key），或重新填写渠道密钥。',
      'Bring back the master key (SECRET_KEY, secret.key), or enter the keys anew.',
    ],
    judge: ({ unreadableKey }) => some(unreadableKey, fail),
  },
  channel_models_missing: {
    title: ['没有模型的渠道', 'Channels without models'],
    means: ['渠道启用了，却不提供任何模型。', 'They are enabled and serve nothing.'],
    fix: ['编辑渠道，点「填入相关模型」。', 'Edit the channel and fill in its models.'],
    judge: ({ withoutModels }) => some(withoutModels, warn),
  },
  channel_groups_missing: {
    title: ['没有分组的渠道', 'Channels without a group'],
    means: ['渠道不属于任何分组，谁也用不到。', 'They belong to no group, so nobody reaches them.'],
    fix: ['编辑渠道，选择分组。', 'Edit the channel and choose groups.'],
    judge: ({ withoutGroups }) => some(withoutGroups, warn),
  },
  channel_groups_unknown: {
    title: ['分组不存在的渠道', 'Channels of unknown groups'],
    means: ['分组不在分组倍率里，令牌选不到这些渠道。', 'No ratio is known for their group, so no token can name it.'],
    fix: [
      '在「设置 → 运营设置」的分组倍率里加上，或修改渠道。',
      'Add the group under Settings > Operation > Group ratio, or edit the channel.',
    ],
    judge: ({ unknownGroups }) => some(unknownGroups, warn),
  },
  channel_json: {
    title: ['渠道的 JSON 设置', 'JSON of channels'],
    means: [
      '映射、参数或请求头读不出来，这些渠道不会被使用。',
      'Mapping, parameters or headers cannot be read; these channels are left out.',
    ],
    fix: ['编辑渠道，修正标红的 JSON。', 'Edit the channel and mend the JSON.'],
    judge: ({ unreadable }) => some(unreadable, fail),
  },
  circular_mapping: {
    title: ['循环的模型映射', 'Model mappings in a circle'],
    means: ['模型映射绕成圈，对应的调用都会失败。', 'Calls for these models fail, since the mapping never ends.'],
    fix: ['编辑渠道的模型映射。', "Edit the channel's model mapping."],
    judge: ({ circularMapping }) => some(circularMapping, fail),
  },
  channel_plain_http: {
    title: ['明文访问的上游', 'Upstreams in clear'],
    means: ['渠道密钥和对话内容在互联网上明文传输。', 'Keys and conversations cross the internet unencrypted.'],
    fix: ['把渠道地址改为 https://。', 'Change the address of the channel to https://.'],
    judge: ({ plainHttp }) => some(plainHttp, warn),
  },
  channel_balance: {
    title: ['上游余额', 'Balance at upstreams'],
    means: ['余额用完后上游会拒绝请求。', 'Without a balance the upstream refuses calls.'],
    fix: ['到上游充值，然后在「渠道」页面刷新余额。', 'Pay in there, then refresh the balance on the page Channels.'],
    judge: ({ emptyBalance }) => some(emptyBalance, warn),
  },
  channel_slow: {
    title: ['响应慢的渠道', 'Slow channels'],
    means: ['最近一次测试超过了自动禁用的时限。', 'Their last test took longer than the limit for switching off.'],
    fix: ['在「渠道」页面重新测试，或降低优先级。', 'Test them again on the page Channels, or lower their priority.'],
    judge: ({ tooSlow }) => some(tooSlow, warn),
  },
  channel_anomalies: {
    title: ['用量异常的上游', 'Upstreams with impossible figures'],
    means: [
      '它们报告的用量不可能是真的，已按能相信的上限计费（最近两万条日志）。',
      'They told usage that cannot be; what can be believed was charged (of the newest 20,000 log rows).',
    ],
    fix: [
      '在日志里看这些渠道的收据；更换上游，或停用渠道。',
      'Look at the receipts of these channels in the log; change the upstream, or switch the channel off.',
    ],
    judge: ({ anomalies }) => some(anomalies, warn),
  },
  model_unpriced: {
    title: ['没有价格的模型', 'Models without a price'],
    means: ['没有价格的模型会被拒绝调用。', 'Calls for them are refused.'],
    fix: ['在「设置 → 运营设置」的模型价格里填写。', 'Enter a price under Settings > Operation > Model prices.'],
    judge: ({ unpriced }) => some(unpriced, fail),
  },
  model_below_cost: {
    title: ['低于成本的模型', 'Models sold below cost'],
    means: ['售价低于你付给上游的价格，每次调用都在亏钱。', 'They are sold for less than you pay: each call is a loss.'],
    fix: [
      '提高模型倍率或分组倍率；成本比例在「设置 → 运营设置」的告警（AlertCostRatio）。',
      'Raise model or group ratio; what you pay is AlertCostRatio under Settings > Operation.',
    ],
    judge: ({ belowCost }) => some(belowCost, fail),
  },
  model_free: {
    title: ['免费的模型', 'Free models'],
    means: ['价格写成了 0，谁都可以无限使用。', 'Their price is written as 0: anybody may use them without end.'],
    fix: [
      '若不是本意，在「设置 → 运营设置」的模型价格里修改。',
      'Unless it is meant so, change it under Settings > Operation > Model prices.',
    ],
    judge: ({ freeModels }) => some(freeModels, warn),
  },
  group_free: {
    title: ['免费的分组', 'Free groups'],
    means: ['分组倍率为 0，这个分组的调用不收费。', 'With ratio 0 calls of this group cost nothing.'],
    fix: [
      '若不是本意，在「设置 → 运营设置」的分组倍率里修改。',
      'Unless it is meant so, change it under Settings > Operation > Group ratio.',
    ],
    judge: ({ freeGroups }) => some(freeGroups, warn),
  },
  model_unserved: {
    title: ['没有渠道的模型', 'Models that nobody serves'],
    means: ['提供它们的渠道全部停用了。', 'Every channel that has them is off.'],
    fix: ['启用一个渠道，或从渠道里移除模型。', 'Enable a channel, or take the models out.'],
    judge: ({ unserved }) => some(unserved, warn),
  },
  backup_pool: {
    title: ['备用号池', 'Backup pool'],
    means: ['设置了备用标签，却没有一个启用的渠道带它。', 'A tag is set for it, and no enabled channel has the tag.'],
    fix: ['给渠道加上标签，或清空 BackupPoolTag。', 'Give a channel the tag, or empty BackupPoolTag.'],
    judge: ({ backupTag, backupChannels }) =>
      when(backupTag !== '' && backupChannels === 0, warn(`标签 ${backupTag}。`, `The tag is ${backupTag}.`)),
  },
  retries: {
    title: ['失败重试', 'Retries'],
    means: [
      '有多个渠道却不重试，一个渠道出错用户就会看到错误。',
      'With several channels and no retry, each error of one reaches the caller.',
    ],
    fix: ['把「设置 → 运营设置」里的 RetryTimes 设为 2。', 'Set RetryTimes to 2 under Settings > Operation.'],
    judge: ({ enabled, retries }) => when(enabled > 1 && retries === 0, warn('RetryTimes=0。', 'RetryTimes=0.')),
  },
});
