import { checksOf, fail, warn, when } from '../check.ts';

const day = 86_400;
const longLog = 400;
/** Thousands of calls a second leave so many between two steps. */
const behindRows = 1_000;
const backlogSeconds = 60;
const behindSeconds = 900;
const futureSeconds = 300;
const slackDays = 2;
const days = (seconds: number): number => Math.floor(seconds / day);

export const upkeepChecks = checksOf('upkeep', {
  rollup: {
    title: ['用量汇总', 'Usage sums'],
    means: ['数据看板落后于日志，余额提醒也会变慢。', 'The dashboard is behind the log, and warnings of low quota with it.'],
    fix: ['确认有服务在运行，查看日志里的 summed。', 'Make sure that a server runs, and look for summed in the log.'],
    judge: ({ unsummed: { rows, since }, now }) =>
      when(
        rows > 0 && now - since > (rows > behindRows ? backlogSeconds : behindSeconds),
        warn(`${rows} 行还没有汇总。`, `${rows} rows are in no sum yet.`),
      ),
  },
  log_retention: {
    title: ['日志保留时间', 'Age of the log'],
    means: ['日志只增不减，磁盘和备份越来越大。', 'The log only grows, and disk and backups with it.'],
    fix: [
      '在「设置 → 运营设置」的日志里删除旧日志，费用合计会保留。',
      'Delete old rows under Settings > Operation > Logs and dashboard; their sums are kept.',
    ],
    judge: ({ oldestLog, now }) =>
      when(
        oldestLog > 0 && days(now - oldestLog) > longLog,
        warn(`最早的是 ${days(now - oldestLog)} 天前。`, `The oldest row is ${days(now - oldestLog)} days old.`),
      ),
  },
  log_future: {
    title: ['日志的时间', 'Times of the log'],
    means: [
      '最新的日志写在未来，说明时钟被调回过，统计会错位。',
      'The newest row lies in the future: the clock was set back, and charts are wrong.',
    ],
    fix: ['启用 NTP，核对系统时间。', 'Run NTP and look at the time of the machine.'],
    judge: ({ newestLog, now }) =>
      when(newestLog - now > futureSeconds, warn(`超前 ${newestLog - now} 秒。`, `It is ${newestLog - now} s ahead.`)),
  },
  body_cleanup: {
    title: ['请求内容的清理', 'Clean-up of kept bodies'],
    means: ['超过保留期的请求内容还在，清理任务没有运行。', 'Bodies are kept longer than was said: the clean-up does not run.'],
    fix: ['确认有服务在运行，查看日志里的 bodies。', 'Make sure that a server runs, and look for bodies in the log.'],
    judge: ({ oldestBody, bodyDays, now }) =>
      when(
        oldestBody > 0 && days(now - oldestBody) > bodyDays + slackDays,
        fail(`最早的是 ${days(now - oldestBody)} 天前。`, `The oldest is ${days(now - oldestBody)} days old.`),
      ),
  },
  deliveries_failing: {
    title: ['失败的通知', 'Notifications that failed'],
    means: ['一天内有通知没送到，用户和你都不会知道。', 'Some did not arrive within the last day, and nobody knows.'],
    fix: ['在「设置 → 个人设置」的通知里看原因并重试。', 'See why and try again under Settings > Personal > Notifications.'],
    judge: ({ failedDeliveries: count }) => when(count > 0, warn(`${count} 条。`, `There are ${count}.`)),
  },
  deliveries_stuck: {
    title: ['积压的通知', 'Notifications that wait'],
    means: ['通知早该发出却没人发，发送任务没有运行。', 'They are due and nobody sends them: the job does not run.'],
    fix: ['确认有服务在运行，查看日志里的 notices。', 'Make sure that a server runs, and look for notices in the log.'],
    judge: ({ stuckDeliveries: count }) => when(count > 0, warn(`${count} 条。`, `There are ${count}.`)),
  },
  codes_cleanup: {
    title: ['过期验证码的清理', 'Clean-up of codes'],
    means: [
      '过期的验证码和登录状态没有清理，清理任务没有运行。',
      'Codes and sign-ins that ended are still there: the clean-up does not run.',
    ],
    fix: ['确认有服务在运行；重启服务。', 'Make sure that a server runs; restart it.'],
    judge: ({ oldestOneTime, now }) =>
      when(
        oldestOneTime > 0 && days(now - oldestOneTime) > slackDays,
        warn(`最早的过期 ${days(now - oldestOneTime)} 天。`, `The oldest ended ${days(now - oldestOneTime)} days ago.`),
      ),
  },
  audit_end: {
    title: ['审计日志的结尾', 'End of the audit log'],
    means: [
      '最后一行和记录的链尾不符，有人删改过审计日志。',
      'Its last row is not the one that was noted: somebody cut or changed it.',
    ],
    fix: ['npx tollgate audit verify 会指出第一处。', 'npx tollgate audit verify names the first place.'],
    judge: ({ auditEndsWell }) => when(!auditEndsWell, fail('对不上。', 'They differ.')),
  },
});
