import { checksOf, fail, few, warn, when } from '../check.ts';

const skewMs = 5_000;

export const nodeChecks = checksOf('nodes', {
  redis: {
    title: ['Redis', 'Redis'],
    means: [
      '节点之间只能靠轮询互通，限额由各节点分摊估算。',
      'Nodes hear of each other by polling only, and share limits by estimate.',
    ],
    fix: [
      '检查 REDIS_URL 和 Redis 服务：是否在运行，内存是否已满，是否只是副本。',
      'Look at REDIS_URL and at the Redis server: whether it runs, is full, or is a replica.',
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
    judge: ({ nodes, hasRedis }) =>
      when(nodes.length > 1 && !hasRedis, warn(`${nodes.length} 个节点。`, `There are ${nodes.length} nodes.`)),
  },
  node_clocks: {
    title: ['各节点的时钟', 'Clocks of the nodes'],
    means: ['时钟不一致的节点会误判租期和会话。', 'A node with a wrong clock misjudges leases and sessions.'],
    fix: ['在这些机器上启用 NTP（timedatectl set-ntp true）。', 'Run NTP there (timedatectl set-ntp true).'],
    judge: ({ nodes }) => {
      const wrong = nodes.filter(({ aheadMs }) => Math.abs(aheadMs) > skewMs).map(({ name, aheadMs }) => `${name} ${aheadMs} ms`);
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
});
