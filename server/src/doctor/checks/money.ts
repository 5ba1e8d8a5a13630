import { checksOf, fail, few, warn, when } from '../check.ts';

const proofHours = 3;
const hourSeconds = 3_600;
const shortShare = 0.01;

export const moneyChecks = checksOf('money', {
  negative_wallets: {
    title: ['余额不为负', 'No wallet below zero'],
    means: [
      '钱包不可能为负；为负说明有人绕过账本改了数据。',
      'Wallets cannot be negative; somebody changed them past the ledger.',
    ],
    fix: [
      'npx tollgate doctor ledger 找出差异，见 docs/runbook.md 的 Books that do not add up。',
      'Find the difference by npx tollgate doctor ledger; see Books that do not add up in docs/runbook.md.',
    ],
    judge: ({ negativeWallets: list }) => when(list.length > 0, fail(`用户 ${few(list)}。`, `Users ${few(list)}.`)),
  },
  frozen_wallets: {
    title: ['预留的余额', 'Held balances'],
    means: [
      '钱包里有预留额度，却没有对应的请求，用户用不了这笔钱。',
      'Something is held for calls that do not exist; the user cannot spend it.',
    ],
    fix: [
      'npx tollgate doctor ledger，见 docs/runbook.md 的 Holds。',
      'npx tollgate doctor ledger, see Holds in docs/runbook.md.',
    ],
    judge: ({ frozenWallets: list }) => when(list.length > 0, fail(`用户 ${few(list)}。`, `Users ${few(list)}.`)),
  },
  wallets_missing: {
    title: ['每个用户都有钱包', 'Every user has a wallet'],
    means: ['没有钱包的用户不能调用，也不能充值。', 'Without one a user can neither call nor pay.'],
    fix: ['npx tollgate doctor ledger；从备份恢复这些用户。', 'npx tollgate doctor ledger; restore these users from a backup.'],
    judge: ({ usersWithoutWallet: list }) => when(list.length > 0, fail(`没有的：${few(list)}。`, `Without: ${few(list)}.`)),
  },
  overdue_holds: {
    title: ['过期的预留', 'Overdue holds'],
    means: ['租期过了还没结清，说明清扫任务没有运行。', 'Their leases are over and nobody settles them: the sweep does not run.'],
    fix: ['确认有服务在运行，并查看日志里的 sweep。', 'Make sure that a server runs, and look for sweep in the log.'],
    judge: ({ overdueHolds: list }) => when(list.length > 0, fail(`请求 ${few(list)}。`, `Calls ${few(list)}.`)),
  },
  overdue_task_holds: {
    title: ['过期的任务预留', 'Overdue holds of tasks'],
    means: ['任务早该超时退款，却还占着用户的钱。', 'These tasks should have been given back long ago.'],
    fix: [
      '查看任务页面和日志里的 task；服务运行时每分钟会退回没有任务的预留。',
      'Look at the task page and for task in the log; a running server gives back each minute what no task will close.',
    ],
    judge: ({ overdueTaskHolds: list }) => when(list.length > 0, warn(`任务 ${few(list)}。`, `Tasks ${few(list)}.`)),
  },
  proof_red: {
    title: ['账本证明', 'Proof of the ledger'],
    means: ['余额、流水和日志对不上，钱算错了。', 'Balances, transfers and logs do not agree: money is wrong.'],
    fix: [
      '打开「账本证明」页面，或运行 npx tollgate doctor ledger；见 docs/runbook.md 的 Books that do not add up。',
      'Open the page Ledger proof, or run npx tollgate doctor ledger; see Books that do not add up in docs/runbook.md.',
    ],
    judge: ({ proof }) =>
      when(proof?.ok === false, fail(`第一处差异：${proof?.difference}。`, `First difference: ${proof?.difference}.`)),
  },
  proof_age: {
    title: ['账本证明的时间', 'Age of the proof'],
    means: [
      '每小时应核对一次（账本很大时间隔更长）；没有核对，错账就没人发现。',
      'It should run each hour, for a large ledger more seldom; without it nobody notices a wrong balance.',
    ],
    fix: ['确认有服务在运行，查看日志里的 ledger。', 'Make sure that a server runs, and look for ledger in the log.'],
    judge: ({ proof, now }) => {
      if (proof === undefined) return warn('还没有核对过。', 'There was none so far.');
      const hours = Math.floor((now - proof.checkedAt) / hourSeconds);
      // One that takes long rests longer, and says until when; one that fails is due again within the hour.
      const isResting = proof.dueAt - now > hourSeconds;
      return when(hours >= proofHours && !isResting, warn(`是 ${hours} 小时前的。`, `It is ${hours} hours old.`));
    },
  },
  receipts_behind: {
    title: ['收据的核对', 'Receipts'],
    means: [
      '收据在入账十几分钟后逐条核对；落后时，被改动的收费要很久才会被发现。',
      'Each is recomputed some minutes after its charge; where that falls behind, a changed charge is noticed late.',
    ],
    fix: [
      '请求少的时候会自动赶上；npx tollgate receipts verify 可立即核对任意时段。',
      'Quieter hours catch up by themselves; npx tollgate receipts verify recomputes any range at once.',
    ],
    judge: ({ proof, unprovenSince, now }) => {
      // Without a proof, or with a difference on the way, the checks above say why.
      if (!proof?.ok || unprovenSince === undefined) return undefined;
      const hours = Math.floor((now - unprovenSince) / hourSeconds);
      return when(hours >= proofHours, warn(`落后 ${hours} 小时。`, `They are ${hours} hours behind.`));
    },
  },
  shortfalls: {
    title: ['收不全的费用', 'Costs that were not collected'],
    means: ['请求花的比预留和余额都多，差额由你承担。', 'Calls cost more than was held and left; the difference is yours.'],
    fix: [
      '调高「设置 → 运营设置」里的 MaxHoldCompletionTokens 或 PreConsumedQuota。',
      'Raise MaxHoldCompletionTokens or PreConsumedQuota under Settings > Operation.',
    ],
    judge: ({ recent: { charges, short } }) =>
      when(short > shortShare * charges, warn(`最近 ${charges} 次里有 ${short} 次。`, `${short} of the last ${charges}.`)),
  },
  unmatched_payments: {
    title: ['无主的付款', 'Payments without an order'],
    means: ['钱收到了，但不知道记到谁名下。', 'Money came in, and nobody knows whose it is.'],
    fix: ['在「充值管理 → 待认领付款」里处理。', 'See to them under Payments > Unmatched.'],
    judge: ({ unmatchedPayments: count }) => when(count > 0, warn(`${count} 笔。`, `There are ${count}.`)),
  },
  overdue_rewards: {
    title: ['到期的邀请奖励', 'Invitation rewards'],
    means: [
      '奖励早已到期却没有发放，说明后台任务没有运行。',
      'They are due for more than a day: the job that pays them does not run.',
    ],
    fix: ['查看日志里的 invite；重启服务。', 'Look for invite in the log; restart the server.'],
    judge: ({ overdueRewards: count }) => when(count > 0, warn(`${count} 笔到期超过一天。`, `${count} wait for over a day.`)),
  },
  old_withdrawals: {
    title: ['待处理的提现', 'Withdrawals that wait'],
    means: ['代理商的提现申请没人处理。', 'Agents wait for money that they asked for.'],
    fix: ['在「代理商管理 → 提现」里处理。', 'See to them under Agents > Withdrawals.'],
    judge: ({ oldWithdrawals: count }) => when(count > 0, warn(`${count} 笔超过 7 天。`, `${count} are older than 7 days.`)),
  },
  stuck_tasks: {
    title: ['任务轮询', 'Polling of tasks'],
    means: [
      '绘图和异步任务没人查询进度，到时会按失败退款。',
      'Nobody asks how drawings and tasks are doing; they will fail by time-out.',
    ],
    fix: ['查看日志里的 task；确认上游渠道仍可用。', 'Look for task in the log, and whether the channel still answers.'],
    judge: ({ stuckTasks: count }) =>
      when(count > 0, warn(`${count} 个停滞超过 10 分钟。`, `${count} are due for over 10 minutes.`)),
  },
});
