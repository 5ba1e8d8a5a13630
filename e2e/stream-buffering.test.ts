import type { DoctorReport } from '@tollgate/contract';
import { expect, onTestFinished, test } from 'vitest';
import { withCaddy } from './support/caddy.ts';
import { tollgate } from './support/command-line.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { freePort } from './support/free-port.ts';
import { withNginx } from './support/nginx.ts';
import { ofTest } from './support/of-test.ts';

/** What keeps events back although the gateway asks for the opposite; 1.0 is what nginx speaks when it is not told. */
const buffering = (text: string): string =>
  text
    .replace('proxy_buffering off;', 'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;')
    .replace('proxy_http_version 1.1;', 'proxy_http_version 1.0;');
const compressing = (text: string): string =>
  text
    .replace('proxy_buffering off;', 'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;')
    .replace('gzip off;', 'gzip on; gzip_types text/event-stream;');

/** `id level` of what is not as it should be. */
const wrongIn = ({ checks }: DoctorReport): string[] =>
  checks.filter(({ level }) => level !== 'ok').map(({ id, level }) => `${id} ${level}`);

onEachEngine((_engine, _open, kit) => {
  /** The doctor, as route and as command, of a gateway that may call nothing private. */
  const open = async () => {
    const gateway = await gatewayOn(kit, { ALLOW_PRIVATE_UPSTREAMS: '', TRUSTED_PROXIES: '127.0.0.1' });
    onTestFinished(async () => {
      // A drain that somebody looks at takes its time, and is not what is asked here.
      await gateway.kill();
      await gateway.stop();
    });
    const root = await gateway.root();
    const look = async (address: string) => {
      await root.setOption('ServerAddress', address);
      const asked = await root.call<DoctorReport>('GET', '/api/doctor');
      const { exitCode, json } = await tollgate(gateway.env, 'doctor');
      const typed = json as unknown as DoctorReport;
      const check = asked.checks.find(({ id }) => id === 'stream_buffering');
      return { exitCode, check, wrong: [wrongIn(asked), wrongIn(typed)] as const };
    };
    return { port: Number(new URL(gateway.url).port), url: gateway.url, look };
  };
  /** The reports differ in this check alone. */
  const differsBy = (level: string, { wrong }: { wrong: readonly (readonly string[])[] }, than: typeof wrong) =>
    wrong.every((list, index) => {
      const more = list.filter((entry) => than[index]?.includes(entry) !== true);
      return more.join() === `stream_buffering ${level}` && list.length === (than[index]?.length ?? 0) + 1;
    });

  withNginx((startNginx) => {
    test('nginx with the file of deploy/ lets streams through; one that buffers turns exactly the check of it', async () => {
      const { port, url, look } = await open();
      const good = await ofTest(startNginx([port, port, port]));
      const bad = await ofTest(startNginx([port, port, port], buffering));
      const gzip = await ofTest(startNginx([port, port, port], compressing));
      const direct = await look(url);
      expect(direct.check).toMatchObject({ level: 'ok' });
      expect((await look(good.url)).wrong).toEqual(direct.wrong);
      const broken = await look(bad.url);
      expect(broken.check).toMatchObject({ level: 'fail', fix: expect.stringContaining('proxy_buffering off') });
      expect(broken.exitCode).toBe(1);
      expect(differsBy('fail', broken, direct.wrong)).toBe(true);
      // The route and the command each asked; what came together, as it may on a busy machine, is asked for once more.
      const asked = async ({ log }: typeof good) => (await log()).filter((line) => line.startsWith('200')).length;
      expect([2, 3, 4]).toContain(await asked(good));
      expect(await asked(bad)).toBe(4);
      expect(differsBy('fail', await look(gzip.url), direct.wrong)).toBe(true);
      const nobody = await look(`http://127.0.0.1:${await freePort()}`);
      expect(differsBy('warn', nobody, direct.wrong)).toBe(true);
      expect((await look('')).check).toMatchObject({ level: 'ok' });
    });
  });

  withNginx((startNginx) => {
    test('nginx with the file of deploy/ passes on that TLS ended in front of it, and makes it of nothing else', async () => {
      const { port } = await open();
      const nginx = await ofTest(startNginx([port, port, port]));
      const isHttps = async (forwarded: Record<string, string>) => {
        const answer = await fetch(`${nginx.url}/api/status`, { headers: forwarded });
        expect(answer.status).toBe(200);
        return answer.headers.has('strict-transport-security');
      };
      expect(await isHttps({ 'X-Forwarded-Proto': 'https' })).toBe(true);
      expect(await isHttps({})).toBe(false);
      for (const other of ['http', 'https, http', 'wss']) expect(await isHttps({ 'X-Forwarded-Proto': other })).toBe(false);
    });
  });

  withCaddy((startCaddy) => {
    test('Caddy with the file of deploy/ lets streams through', async () => {
      const { port, look } = await open();
      const caddy = await ofTest(startCaddy([port, port, port]));
      expect((await look(caddy.url)).check).toMatchObject({ level: 'ok' });
    });
  });
});
