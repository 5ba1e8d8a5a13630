import { checksOf, fail, few, warn, when } from '../check.ts';

const loopback = /^(127\.|::1$|localhost$)/;
const everything = /^(0\.0\.0\.0\/0|::\/0)$/;
const leastDrainSeconds = 30;

export const exposureChecks = checksOf('exposure', {
  public_without_proxy: {
    title: ['对外监听', 'Reachable from outside'],
    means: [
      '本程序不做 TLS。直接对外时密钥明文传输；前面有代理却没登记时，所有人都像来自同一个地址。',
      'This program does no TLS. Open to the network, keys travel in clear; behind a proxy that is not listed everybody seems to come from one address.',
    ],
    fix: [
      '在前面放 TLS 代理（deploy/nginx），把它的地址写进 TRUSTED_PROXIES；或设 HOST=127.0.0.1。',
      'Put a proxy with TLS in front (deploy/nginx) and its address into TRUSTED_PROXIES, or set HOST=127.0.0.1.',
    ],
    judge: ({ env: { HOST, TRUSTED_PROXIES } }) =>
      when(
        !loopback.test(HOST) && TRUSTED_PROXIES.length === 0,
        warn(`监听 ${HOST}，TRUSTED_PROXIES 为空。`, `It listens on ${HOST}, and TRUSTED_PROXIES is empty.`),
      ),
  },
  proxies_too_wide: {
    title: ['受信代理范围', 'Trusted proxies'],
    means: [
      '信任所有地址，等于谁都能伪造来源地址，绕过限流和 IP 名单。',
      'Who trusts every address lets anybody forge theirs, past limits and IP lists.',
    ],
    fix: ['TRUSTED_PROXIES 只写代理自己的地址。', 'Name only the addresses of your proxies in TRUSTED_PROXIES.'],
    judge: ({ env: { TRUSTED_PROXIES: list } }) =>
      when(
        list.some((entry) => everything.test(entry)),
        fail(`包含 ${few(list)}。`, `It contains ${few(list)}.`),
      ),
  },
  private_upstreams_wide: {
    title: ['允许的内网上游', 'Private upstreams'],
    means: ['管理员可以让网关访问整个内网。', 'Administrators can make the gateway call anything in your network.'],
    fix: [
      'ALLOW_PRIVATE_UPSTREAMS 只写需要的 host:port。',
      'List only the host:port that are needed in ALLOW_PRIVATE_UPSTREAMS.',
    ],
    judge: ({ env: { ALLOW_PRIVATE_UPSTREAMS: list } }) =>
      when(
        list.some((entry) => everything.test(entry)),
        fail(`包含 ${few(list)}。`, `It contains ${few(list)}.`),
      ),
  },
  egress_rewrite: {
    title: ['出站改写', 'Rewritten addresses'],
    means: [
      '这些主机的请求会发往别处，登录和支付的密钥也一样；它只为测试而设。',
      'Calls for these hosts go elsewhere, with secrets of sign-in and payment; it is meant for tests.',
    ],
    fix: ['生产环境去掉 EGRESS_REWRITE。', 'Remove EGRESS_REWRITE in production.'],
    judge: ({ env: { EGRESS_REWRITE: list } }) =>
      when(list.length > 0, warn(`已改写：${few(list)}。`, `Rewritten: ${few(list)}.`)),
  },
  rate_limits_off: {
    title: ['控制台限流', 'Rate limits of the console'],
    means: ['没有限流，密码和验证码可以被无限次猜测。', 'Without them passwords and codes can be guessed without end.'],
    fix: ['去掉 RATE_LIMIT_FACTOR，或设为 1。', 'Remove RATE_LIMIT_FACTOR or set it to 1.'],
    judge: ({ env }) =>
      when(env.RATE_LIMIT_FACTOR === 0, fail('RATE_LIMIT_FACTOR=0，限流已关闭。', 'RATE_LIMIT_FACTOR=0 switches them off.')),
  },
  metrics_public: {
    title: ['指标端口', 'Metrics port'],
    means: ['指标没有登录，会显示模型、渠道和用量。', 'Metrics ask for no sign-in and tell of models, channels and usage.'],
    fix: [
      '用防火墙只放行监控主机，或设 HOST=127.0.0.1。',
      'Let only your monitoring through the firewall, or set HOST=127.0.0.1.',
    ],
    judge: ({ env: { METRICS_PORT: port, HOST } }) =>
      when(port !== undefined && !loopback.test(HOST), warn(`端口 ${port} 监听 ${HOST}。`, `Port ${port} listens on ${HOST}.`)),
  },
  log_level: {
    title: ['日志级别', 'Log level'],
    means: [
      'debug 和 trace 会拖慢请求并很快写满磁盘；silent 出事时什么都查不到。',
      'debug and trace slow calls down and fill the disk; silent leaves nothing to look at.',
    ],
    fix: ['设 LOG_LEVEL=info。', 'Set LOG_LEVEL=info.'],
    judge: ({ env: { LOG_LEVEL: level } }) =>
      when(['debug', 'trace', 'silent'].includes(level), warn(`LOG_LEVEL=${level}。`, `LOG_LEVEL=${level}.`)),
  },
  lease_times: {
    title: ['预留的租期', 'Leases of holds'],
    means: [
      '租期太短时，正常的流会被当作已死的请求提前结清。',
      'With too short a lease running streams are settled as if their node had died.',
    ],
    fix: [
      'HOLD_LEASE_SECONDS 至少是 HOLD_CHECKPOINT_SECONDS 的 3 倍。',
      'Make HOLD_LEASE_SECONDS at least three times HOLD_CHECKPOINT_SECONDS.',
    ],
    judge: ({ env: { HOLD_LEASE_SECONDS: lease, HOLD_CHECKPOINT_SECONDS: step } }) =>
      when(lease < 3 * step, fail(`租期 ${lease} 秒，检查点 ${step} 秒。`, `Lease ${lease} s, checkpoints ${step} s.`)),
  },
  drain_time: {
    title: ['停机等待时间', 'Time to drain'],
    means: ['更新或重启时，没结束的流会被切断。', 'At every update or restart streams that are not done are cut.'],
    fix: [
      '设 DRAIN_SECONDS=120，并让 systemd 或容器多等一会儿。',
      'Set DRAIN_SECONDS=120 and let systemd or the container wait longer.',
    ],
    judge: ({ env: { DRAIN_SECONDS: seconds } }) =>
      when(seconds < leastDrainSeconds, warn(`只等 ${seconds} 秒。`, `Only ${seconds} s.`)),
  },
  server_address: {
    title: ['服务器地址', 'Server address'],
    means: [
      '没有它就不发带链接的邮件，第三方登录和支付回调也无法工作。',
      'Without it no mail with a link is sent, and sign-in by others and payments cannot come back.',
    ],
    fix: ['在「设置 → 系统设置」填写服务器地址。', 'Enter it under Settings > System > Server address.'],
    judge: ({ serverAddress }) => when(serverAddress === '', warn('没有填写。', 'It is not set.')),
  },
  server_address_plain: {
    title: ['服务器地址的加密', 'Encryption of the server address'],
    means: ['邮件里的重置链接和支付回调会走明文。', 'Reset links in mails and payment notices go in clear.'],
    fix: ['给域名配好证书，再把地址改成 https://。', 'Get a certificate and change the address to https://.'],
    judge: ({ serverAddress }) => {
      const url = URL.parse(serverAddress);
      return when(
        url?.protocol === 'http:' && !loopback.test(url.hostname),
        warn(`地址是 ${serverAddress}。`, `It is ${serverAddress}.`),
      );
    },
  },
  stream_buffering: {
    title: ['代理与流式输出', 'Streams through the proxy'],
    means: [
      '代理把事件攒着不发时，用户要等到回答结束才看到内容，长回答会超时。',
      'Where a proxy keeps events back, callers see nothing until the answer is over, and long ones time out.',
    ],
    fix: [
      'nginx：proxy_http_version 1.1、proxy_buffering off、gzip off（见 deploy/nginx）；Caddy：flush_interval -1（见 deploy/caddy）；CDN：对此域名关闭缓冲和压缩。',
      'nginx: proxy_http_version 1.1, proxy_buffering off and gzip off (deploy/nginx); Caddy: flush_interval -1 (deploy/caddy); CDN: no buffering, no compression for this name.',
    ],
    judge: ({ streams, serverAddress }) => {
      if (streams === 'expired')
        return {
          ...fail(
            `${serverAddress} 的证书已过期，谁都连不上。`,
            `The certificate of ${serverAddress} has expired; nobody gets in.`,
          ),
          fix: [
            '在代理处续期并重新加载（certbot renew，再 nginx -s reload；Caddy 自动续期，原因见其日志）。',
            'Renew it at the proxy, and let that read it (certbot renew, then nginx -s reload; Caddy renews by itself, its log says why not).',
          ],
        };
      if (streams === 'unreached')
        return warn(
          `没有测成：从本机访问 ${serverAddress} 得不到本程序的应答。`,
          `Not tested: from here ${serverAddress} gives no answer of this installation.`,
        );
      return when(
        streams === 'together',
        fail(
          `经过 ${serverAddress} 的测试流在最后才一次到达。`,
          `Through ${serverAddress} the events of a test arrive all at once at its end.`,
        ),
      );
    },
  },
});
