import type { PresentNode } from '../../storage/presence.ts';
import { checksOf, fail, few, type Text, warn, when } from '../check.ts';

const skewMs = 5_000;
/** Twice what every change takes at most. */
const longBehindMs = 10_000;

/** One for each machine. */
const apart = (nodes: readonly PresentNode[]) => nodes.filter(({ isWorker }) => !isWorker);

/** How far each is. */
function progressOf(nodes: readonly PresentNode[]): Text {
  const each = nodes.map(({ name, behindMs, charges }) => ({ name, seconds: (behindMs / 1000).toFixed(1), charges }));
  return [
    `${few(each.map(({ name, seconds, charges }) => `${name} 设置滞后 ${seconds} 秒、${charges} 笔收费待入账`))}。`,
    `${few(each.map(({ name, seconds, charges }) => `${name} settings ${seconds} s behind, charges waiting: ${charges}`))}.`,
  ];
}

export const nodeChecks = checksOf('nodes', {
  redis: {
    title: ['Redis', 'Redis'],
    means: [
      '节点之间只能靠轮询互通，限额由各节点分摊估算。',
      'Nodes hear of each other by polling only, and share limits by estimate.',
    ],
    fix: [
      '检查 REDIS_URL（末尾的数据库编号也要存在）和 Redis 服务：是否在运行，密码是否改过，内存是否已满，是否只是副本；服务的日志里有 Redis 自己的说法（OOM、READONLY、NOAUTH 等）。',
      "Look at REDIS_URL (the database that its end numbers must exist) and at the Redis server: whether it runs, has another password, is full, or is a replica; the server's log has its own word (OOM, READONLY, NOAUTH ...).",
    ],
    judge: ({ redisAnswers }) =>
      when(
        redisAnswers === false,
        fail('设置了 REDIS_URL，但没有应答，或不接受写入。', 'REDIS_URL is set, and nobody answers, or takes no writes.'),
      ),
  },
  nodes_without_redis: {
    title: ['多节点与 Redis', 'Several nodes and Redis'],
    means: [
      '没有 Redis，每个节点各算各的限流，总量会翻倍。',
      'Without Redis each node counts limits for itself: callers get a multiple.',
    ],
    fix: [
      '给所有节点设置同一个 REDIS_URL。被强制结束的节点还会计入一分钟。',
      'Give all nodes the same REDIS_URL. One that was killed counts for another minute.',
    ],
    judge: ({ nodes, hasRedis }) => {
      const { length } = apart(nodes);
      return when(length > 1 && !hasRedis, warn(`${length} 个节点。`, `There are ${length} nodes.`));
    },
  },
  node_clocks: {
    title: ['各节点的时钟', 'Clocks of the nodes'],
    means: [
      '差一分钟以上的节点不接收请求，证书校验和发给上游的签名也会出错。',
      'A node that is more than a minute off takes no calls, and certificates and signatures for upstreams go wrong.',
    ],
    fix: ['在这些机器上启用 NTP（timedatectl set-ntp true）。', 'Run NTP there (timedatectl set-ntp true).'],
    judge: ({ nodes }) => {
      const wrong = apart(nodes)
        .filter(({ aheadMs }) => Math.abs(aheadMs) > skewMs)
        .map(({ name, aheadMs }) => `${name} ${aheadMs} ms`);
      return when(wrong.length > 0, fail(`${few(wrong)}。`, `${few(wrong)}.`));
    },
  },
  node_versions: {
    title: ['各节点的版本', 'Versions of the nodes'],
    means: ['更新没有做完，各节点的行为不一样。', 'An update is half done: nodes behave differently.'],
    fix: [
      '把其余节点也更新到同一版本。被强制结束的节点还会计入一分钟。',
      'Update the other nodes, too. One that was killed counts for another minute.',
    ],
    judge: ({ nodes }) => {
      const versions = [...new Set(nodes.map(({ version }) => version))];
      return when(versions.length > 1, warn(`${few(versions)}。`, `${few(versions)}.`));
    },
  },
  node_progress: {
    title: ['各节点的进度', 'How far the nodes are'],
    means: [
      '落后的节点还按旧的设置、渠道和密钥工作；待入账的收费还不在账本里。',
      'A node that is behind works by old settings, channels and keys; charges that wait are not in the ledger yet.',
    ],
    fix: [
      '查看该节点的日志：它说明为什么读不到变更，或为什么不能入账。收费一直不减少时见 docs/runbook.md 的 「Charges that stay in the outbox」。',
      'Read the log of that node: it says why changes cannot be read or charges cannot be booked. If charges stay: docs/runbook.md, "Charges that stay in the outbox".',
    ],
    // A doctor that is asked without a server sees none.
    shown: ({ nodes }) => (nodes.length === 0 ? undefined : progressOf(nodes)),
    judge: ({ nodes }) => {
      const behind = nodes.filter(({ behindMs }) => behindMs > longBehindMs);
      const waiting = nodes.filter(({ charges }) => charges > 0);
      if (behind.length > 0) return fail(...progressOf(behind));
      return when(waiting.length > 0, warn(...progressOf(waiting)));
    },
  },
});
