import { descriptorFault } from '../../platform/descriptors.ts';
import { checksOf, fail, warn, when } from '../check.ts';

const mebibyte = 1 << 20;
const leastMemory = 512 * mebibyte;
const leastDisk = 512 * mebibyte;
const dayMs = 86_400_000;
const backupDays = 7;
const outboxMs = 300_000;
const supportedNode = 24;
const sees = (mode: number | undefined): boolean => ((mode ?? 0) & 0o077) !== 0;
const octal = (mode: number | undefined): string => (mode ?? 0).toString(8).padStart(4, '0');
const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;

export const hostChecks = checksOf('host', {
  node_version: {
    title: ['Node 版本', 'Node version'],
    means: [
      '旧的 Node 不再有安全更新，依赖也不再为它测试。',
      'An old Node gets no security fixes, and our dependencies are not tested on it.',
    ],
    fix: [
      '用 npm start 启动（自带 Node 24），或升级系统的 Node。',
      'Start with npm start, which brings Node 24, or upgrade Node.',
    ],
    judge: ({ nodeMajor }) =>
      when(nodeMajor < supportedNode, warn(`正在用 Node ${nodeMajor}。`, `This runs on Node ${nodeMajor}.`)),
  },
  runs_as_root: {
    title: ['运行用户', 'User of the process'],
    means: ['以 root 运行的进程一旦被攻破，整台机器都会失守。', 'Who breaks into a process of root owns the whole machine.'],
    fix: [
      '用普通用户运行，见 deploy/systemd/tollgate.service 或 deploy/Dockerfile。',
      'Run it as an ordinary user: deploy/systemd/tollgate.service, deploy/Dockerfile.',
    ],
    judge: ({ userId }) => when(userId === 0, warn('进程以 root 运行。', 'The process runs as root.')),
  },
  memory: {
    title: ['内存', 'Memory'],
    means: [
      '内存不足时系统会直接杀掉进程，正在进行的请求全部中断。',
      'Short of memory the system kills the process and cuts every call.',
    ],
    fix: [
      '给机器或容器至少 512 MiB 内存，或调低 MAX_STREAMS。',
      'Give machine or container at least 512 MiB, or lower MAX_STREAMS.',
    ],
    judge: ({ memory: { total } }) => when(total < leastMemory, warn(`只有 ${mib(total)}。`, `There are only ${mib(total)}.`)),
  },
  file_descriptors: {
    title: ['文件描述符上限', 'File descriptors'],
    means: ['每个请求要两个描述符，用完后新连接会被拒绝。', 'Each call takes two; without any left new connections are refused.'],
    fix: [
      '提高上限（ulimit -n、systemd 的 LimitNOFILE），或调低 MAX_STREAMS。',
      'Raise the limit (ulimit -n, LimitNOFILE of systemd) or lower MAX_STREAMS.',
    ],
    judge: ({ descriptors, maxStreams }) => {
      const fault = descriptorFault(descriptors, maxStreams);
      return when(fault !== undefined, warn(`上限太低：${fault}。`, `The limit is too low: ${fault}.`));
    },
  },
  disk_space: {
    title: ['数据目录的磁盘空间', 'Disk space of the data folder'],
    means: [
      '磁盘写满后无法记账，所以空间低于 DISK_RESERVE_MB 和 DISK_RESERVE_PERCENT 时网关停止接收新请求。',
      'On a full disk nothing can be charged, so below DISK_RESERVE_MB and DISK_RESERVE_PERCENT no more calls are taken.',
    ],
    fix: [
      '清理或扩大磁盘；删除旧日志本身不会让数据库文件变小，见 docs/runbook.md 的 disk_full。',
      'Make room, or enlarge the disk; deleting old logs makes the database file no smaller by itself: disk_full in docs/runbook.md.',
    ],
    judge: ({ disk: { total, free }, diskReserve }) => {
      const percent = Math.round((free / Math.max(1, total)) * 100);
      if (free < Math.max(leastDisk, diskReserve)) return fail(`只剩 ${mib(free)}。`, `Only ${mib(free)} are left.`);
      return when(percent < 10, warn(`只剩 ${percent} %。`, `Only ${percent} % are left.`));
    },
  },
  disk_inodes: {
    title: ['数据目录的 inode', 'Inodes of the data folder'],
    means: ['没有 inode 时，即使有空间也建不了文件。', 'Without inodes no file can be made, however much space is left.'],
    fix: ['删除同一文件系统上大量的小文件。', 'Remove masses of small files from this file system.'],
    // Some file systems have no such number.
    judge: ({ disk: { inodes, freeInodes } }) =>
      when(inodes > 0 && freeInodes / inodes < 0.02, warn(`只剩 ${freeInodes} 个。`, `Only ${freeInodes} are left.`)),
  },
  folder_writable: {
    title: ['数据目录可写', 'Data folder can be written'],
    means: ['数据库断开时，收费要先写进这里的 outbox。', 'While the database is away charges are kept in the outbox there.'],
    fix: [
      '把 DATA_DIR 的所有者改成运行用户：chown -R 用户 DATA_DIR。',
      'Give DATA_DIR to the user of the process: chown -R USER DATA_DIR.',
    ],
    judge: ({ isWritable }) => when(!isWritable, fail('目录不可写。', 'The folder cannot be written.')),
  },
  folder_permissions: {
    title: ['数据目录权限', 'Permissions of the data folder'],
    means: ['其他用户能进入放着密钥和数据库的目录。', 'Other users of the machine get to the folder with key and database.'],
    fix: ['chmod 700 DATA_DIR', 'chmod 700 DATA_DIR'],
    judge: ({ folderMode }) => when(sees(folderMode), warn(`权限是 ${octal(folderMode)}。`, `Its mode is ${octal(folderMode)}.`)),
  },
  master_key: {
    title: ['下次启动用的主密钥', 'Master key of the next start'],
    means: [
      '运行中的服务内存里还有主密钥；重启后没有它，渠道密钥和令牌都解不开，服务拒绝启动。',
      'A server that runs still has it in memory; without it the next start is refused, and no channel key or token opens again.',
    ],
    fix: [
      '在重启之前从备份放回原来的主密钥；谁都没有时先不要重启，见 docs/runbook.md 的 The master key is lost。',
      'Put it back from its backup before anything is restarted; where nobody has it, restart nothing yet: The master key is lost in docs/runbook.md.',
    ],
    judge: ({ nextKey, keyPath }) => {
      if (nextKey === 'missing') return fail(`${keyPath} 不在或无法读取。`, `${keyPath} is not there, or cannot be read.`);
      return when(nextKey === 'other', fail(`${keyPath} 里是另一个主密钥。`, `${keyPath} holds another one.`));
    },
  },
  key_permissions: {
    title: ['主密钥文件权限', 'Permissions of the key file'],
    means: ['谁能读主密钥，谁就能解开所有渠道密钥和令牌。', 'Who reads the master key opens every channel key and token.'],
    fix: [
      'chmod 600 密钥文件；若可能已泄露：npx tollgate keys rotate',
      'chmod 600 KEYFILE; if somebody may have read it: npx tollgate keys rotate',
    ],
    judge: ({ keyMode, keyPath }) =>
      when(sees(keyMode), fail(`${keyPath} 的权限是 ${octal(keyMode)}。`, `${keyPath} has mode ${octal(keyMode)}.`)),
  },
  database_permissions: {
    title: ['数据库文件权限', 'Permissions of the database file'],
    means: ['其他用户能读到用户、日志和余额。', 'Other users of the machine can read users, logs and balances.'],
    fix: ['chmod 600 DATA_DIR/tollgate.db', 'chmod 600 DATA_DIR/tollgate.db'],
    judge: ({ databaseMode }) =>
      when(sees(databaseMode), warn(`权限是 ${octal(databaseMode)}。`, `Its mode is ${octal(databaseMode)}.`)),
  },
  outbox: {
    title: ['待补记的收费', 'Charges that wait'],
    means: [
      'outbox 里的收费还没有进账本；长时间不动说明写不进数据库。',
      'Charges in the outbox are not in the ledger yet; if they stay, the database refuses them.',
    ],
    fix: [
      '查看日志里的 outbox 错误：它指出是哪一行；处理办法见 docs/runbook.md 的 「Charges that stay in the outbox」。',
      'Look for outbox in the log, which names the line; what to do: docs/runbook.md, "Charges that stay in the outbox".',
    ],
    judge: ({ outbox: { bytes, changedMs }, nowMs }) =>
      when(
        bytes > 0 && nowMs - changedMs > outboxMs,
        fail(
          `outbox 里有 ${bytes} 字节，超过 5 分钟没有变化。`,
          `${bytes} bytes lie in the outbox, unchanged for over 5 minutes.`,
        ),
      ),
  },
  left_outboxes: {
    title: ['已停用工作进程的收费', 'Charges of workers that are gone'],
    means: [
      '调低 WORKERS 后，多出来的工作进程留下的收费由第一个工作进程补记，补记完之前它们不在账本里。',
      'With WORKERS lowered, the first worker books what the others left; until then it is not in the ledger.',
    ],
    fix: [
      '让服务继续运行，几秒内会补记；一直不减少时查看日志里的 outbox 错误。',
      'Leave the server running, it books them within seconds; if they stay, look for outbox in its log.',
    ],
    judge: ({ leftOutboxes, workers }) => {
      const names = leftOutboxes.join(', ');
      return when(
        leftOutboxes.length > 0,
        warn(`WORKERS=${workers}，但 ${names} 里还有收费。`, `WORKERS=${workers}, and charges lie in ${names}.`),
      );
    },
  },
  ballast: {
    title: ['备用空间', 'Spare space'],
    means: [
      '磁盘写满时要靠这个文件腾出空间来结清请求。',
      'When the disk is full this file is given up so that calls can still be settled.',
    ],
    fix: [
      '腾出磁盘空间：运行中的服务一分钟内会重新建立它。',
      'Make room: a running server makes the file again within a minute.',
    ],
    judge: ({ hasBallast }) => when(hasBallast === false, warn('ballast 文件不在。', 'The file ballast is not there.')),
  },
  backup_age: {
    title: ['最近的备份', 'Last backup'],
    means: [
      '没有备份，磁盘坏了就什么都没了；主密钥要另外保存。',
      'Without one, a broken disk takes everything; keep the master key elsewhere.',
    ],
    fix: ['定时运行 npx tollgate backup --to 文件', 'Run npx tollgate backup --to FILE by a timer'],
    // A database server has backups of its own, which cannot be seen from here.
    judge: ({ isEmbedded, backup, nowMs }) => {
      if (!isEmbedded) return undefined;
      if (backup === undefined) return warn('从未备份过。', 'There was none so far.');
      const days = Math.floor((nowMs - backup.madeMs) / dayMs);
      return when(days >= backupDays, warn(`是 ${days} 天前的。`, `It is ${days} days old.`));
    },
  },
});
