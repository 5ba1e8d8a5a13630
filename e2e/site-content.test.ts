import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Browser, chromiumPath, openBrowser } from './support/browser.ts';
import type { Console } from './support/console-client.ts';
import { copied, faultsInBothThemes, scrollsSideways } from './support/console-walk.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { settled } from './support/settled.ts';

/** What people try. Each says its number when it runs; none may. */
const run = 'globalThis.hit=(globalThis.hit??0)+1';
const vectors = [
  ...[
    '<script>X</script>',
    '<ScRiPt src=//evil.example></ScRiPt>',
    '<scr<script>ipt>X</scr</script>ipt>',
    '<script/x>X</script>',
  ],
  ...[
    '<img src=x onerror=X>',
    '<img/src=x/onerror=X>',
    '<img src="x" onerror="X"',
    '<img src=1 onerror=X//',
    '<IMG SRC=javascript:X>',
  ],
  ...['<svg onload=X>', '<svg/onload=X>', '<svg><script>X</script></svg>', '<svg><animate onbegin=X attributeName=x dur=1s>'],
  ...['<svg><a xlink:href="javascript:X"><text y=9>a</text></a></svg>', '<svg><use href="data:image/svg+xml,X"/></svg>'],
  ...['<math><mtext></form><form><mglyph><style></math><img src onerror=X>', '<math href="javascript:X">a</math>'],
  ...[
    '<iframe src="javascript:X"></iframe>',
    '<iframe srcdoc="<script>X</script>"></iframe>',
    '<iframe onload=X>',
    '<frameset onload=X>',
  ],
  ...['<object data="javascript:X"></object>', '<embed src="javascript:X">', '<applet code=X>', '<base href="javascript:/X">'],
  ...[
    '<a href="javascript:X">a</a>',
    '<a href="java\nscript:X">a</a>',
    '<a href="&#106;avascript:X">a</a>',
    '<a href=" javascript:X">a</a>',
  ],
  ...[
    '<a href="vbscript:X">a</a>',
    '<a href="data:text/html,<script>X</script>">a</a>',
    '<a href="JaVaScRiPt:X">a</a>',
    '<a onclick=X>a</a>',
  ],
  ...[
    '[a](javascript:X)',
    '[a](JaVaScRiPt:X)',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '[a](vbscript:X)',
    '![a](javascript:X)',
  ],
  ...['[a](<javascript:X>)', '[a]: javascript:X\n\n[a]', '<javascript:X>', '![a](x "onerror=X")', '[a](x" onclick="X)'],
  ...[
    '<form action="javascript:X"><button>a</button></form>',
    '<button formaction="javascript:X">a</button>',
    '<input autofocus onfocus=X>',
  ],
  ...[
    '<select autofocus onfocus=X>',
    '<textarea autofocus onfocus=X>',
    '<keygen autofocus onfocus=X>',
    '<isindex type=image onerror=X>',
  ],
  ...['<body onload=X>', '<div onmouseover=X>a</div>', '<details open ontoggle=X>a</details>', '<marquee onstart=X>a</marquee>'],
  ...[
    '<video><source onerror=X></video>',
    '<audio src=x onerror=X>',
    '<video poster=javascript:X>',
    '<input type=image src=x onerror=X>',
  ],
  ...[
    '<style>@import "javascript:X";</style>',
    '<div style="background:url(javascript:X)">a</div>',
    '<link rel=stylesheet href="javascript:X">',
  ],
  ...[
    '<div style="width:expression(X)">a</div>',
    '<meta http-equiv=refresh content="0;url=javascript:X">',
    '<noscript><p title="</noscript><img src=x onerror=X>">',
  ],
  ...[
    '<template><img src=x onerror=X></template>',
    '<xmp><p title="</xmp><img src=x onerror=X>">',
    '<!--><img src=x onerror=X>-->',
    '<![CDATA[<img src=x onerror=X>]]>',
  ],
  ...[
    '<p id=getElementById name=cookie>a</p>',
    '<form id=x><input name=attributes></form>',
    '<a id=location href=/x>a</a>',
    '<b class="fixed inset-0 z-50">a</b>',
  ],
  ...[
    '<div style="position:fixed;inset:0;z-index:99">a</div>',
    '`<img src=x onerror=X>`',
    '<x contenteditable onblur=X>a</x>',
    '<dialog open>a</dialog>',
  ],
].map((text) => text.replaceAll('X', run));

describe.skipIf(chromiumPath === undefined)('the content of an operator in a browser', () => {
  let gateway: Gateway;
  let root: Console;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    gateway = await startGateway();
    root = await gateway.root();
    browser = await openBrowser(gateway.url);
    page = await browser.page();
  });
  afterAll(async () => {
    expect(browser.faults).toEqual([]);
    await browser.close();
    await gateway.stop();
  });

  const isUsable = async () => {
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await scrollsSideways(page)).toBe(false);
    await page.setViewportSize({ width: 1440, height: 900 });
  };

  test('Markdown on the home and about page is text, tables and links that leave in a window of their own', async () => {
    await root.setOption(
      'HomePageContent',
      '# 欢迎\n\n| 模型 | 价格 |\n|---|---|\n| a | 1 |\n\n[文档](https://docs.example.com) **粗体**',
    );
    await root.setOption('About', '<h2>关于我们</h2><p style="color:#c0262d">一家公司</p>');
    await page.goto(gateway.url);
    await page.getByRole('heading', { name: '欢迎' }).waitFor();
    const link = page.getByRole('link', { name: '文档' });
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual([
      '_blank',
      'noopener noreferrer nofollow',
    ]);
    expect(await page.getByRole('cell').allTextContents()).toEqual(['a', '1']);
    await isUsable();
    await page.getByRole('link', { name: '关于', exact: true }).click();
    await page.getByRole('heading', { name: '关于我们' }).waitFor();
    expect(await page.getByText('一家公司').getAttribute('style')).toContain('color');
  });

  test('the footer keeps its links; a notice is shown once, and again when it is another', async () => {
    await root.setOption('HomePageContent', '');
    await root.setOption('Footer', '© <a href="https://example.com">示例公司</a>');
    await root.setOption('Notice', '周日 **维护**');
    await page.goto(gateway.url);
    const dialog = page.getByRole('dialog', { name: '公告' });
    await dialog.getByText('维护').waitFor();
    await isUsable();
    await dialog.getByRole('button', { name: '知道了' }).click();
    await page.getByRole('contentinfo').getByRole('link', { name: '示例公司' }).waitFor();
    await page.reload();
    await page.getByRole('contentinfo').getByRole('link', { name: '示例公司' }).waitFor();
    await settled(page);
    expect(await dialog.count()).toBe(0);
    await root.setOption('Notice', '周一维护');
    await page.reload();
    await dialog.getByText('周一维护').waitFor();
    await dialog.getByRole('button', { name: '知道了' }).click();
    await root.setOption('Notice', '');
  });

  test('the usual home page gives each protocol its address to copy', async () => {
    await page.goto(gateway.url);
    await page.getByRole('button', { name: '复制接口地址' }).first().click();
    await expect.poll(() => copied(page)).toMatch(/^http/);
    await isUsable();
  });

  test(`none of ${vectors.length} ways to run a script runs, whatever the server lets through and without the help of the policy`, async () => {
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    const asked: string[] = [];
    page.on('dialog', (dialog) => asked.push(dialog.message()));
    for (const [path, where] of [
      ['/api/home_page_content', '/'],
      ['/api/about', '/about'],
      ['/api/notice', '/'],
      ['/api/status', '/'],
    ] as const) {
      const text = vectors.join('\n\n');
      await page.route(`**${path}`, async (route) => {
        const { data } = await (await route.fetch()).json();
        const changed = typeof data === 'string' ? text : { ...data, footer_html: text };
        await route.fulfill({ json: { success: true, message: '', data: changed } });
      });
      await page.route(gateway.url + where, async (route) => {
        const answer = await route.fetch();
        const { 'content-security-policy': _, ...headers } = answer.headers();
        await route.fulfill({ response: answer, headers });
      });
      await page.goto(gateway.url + where);
      const shown = page.locator(path === '/api/status' ? 'footer .markup' : 'main .markup, [role=dialog] .markup').first();
      await shown.waitFor();
      await settled(page);
      const found = await shown.evaluate((content) => {
        const elements = [...content.querySelectorAll('*')];
        const names = new Set(elements.map(({ localName }) => localName));
        const attributes = elements.flatMap((element) => [...element.attributes].map(({ name, value }) => `${name}=${value}`));
        return {
          hits: (globalThis as { hit?: number }).hit ?? 0,
          elements: [...names].filter((name) =>
            /^(script|style|link|meta|base|form|input|button|select|textarea|iframe|object|embed|svg|math|video|audio|template|dialog)$/.test(
              name,
            ),
          ),
          attributes: attributes.filter((text) =>
            /^(on|id=|class=|name=|formaction|srcdoc|xlink)|^(href|src)=\s*(javascript|vbscript|data):|position|url\(/i.test(
              text,
            ),
          ),
        };
      });
      expect({ path, ...found, asked }).toEqual({ path, hits: 0, elements: [], attributes: [], asked: [] });
      for (const link of await shown.getByRole('link').all())
        expect(await link.getAttribute('href')).not.toMatch(/script:|data:/i);
      await page.unrouteAll();
    }
  });
});
