import { ask, type Batch, off, on, row, type Sight, status } from './scene.ts';

const textOf = (path: string) => async (sight: Sight) => (await ask(sight, path)).data;

/** A text on a page of the console, as a visitor sees it. */
const shown =
  (path: string, text: string) =>
  async ({ page, gateway }: Sight) => {
    await page.goto(gateway.url + path);
    await page.getByText(text).first().waitFor();
    return true;
  };
const chats = '[{"House chat":"https://chat.example/#/?k={key}&u={address}"}]';

/** What pages and programs read of the site. */
export const pageBatches: readonly Batch[] = [
  {
    name: 'the status of the site',
    rows: [
      row('TopUpLink', 'https://shop.example/codes', status('top_up_link'), 'https://shop.example/codes'),
      row('ChatLink', 'https://chat.example/one', status('chat_link'), 'https://chat.example/one'),
      row('ChatLink2', 'https://chat.example/two', status('chat_link2'), 'https://chat.example/two'),
      row('general_setting.docs_link', 'https://docs.example/', status('docs_link'), 'https://docs.example/'),
      row('Chats', chats, status('chats'), JSON.parse(chats)),
      off('DisplayInCurrencyEnabled', status('display_in_currency'), false),
      on('DefaultCollapseSidebar', status('default_collapse_sidebar'), true),
      off('DrawingEnabled', status('enable_drawing'), false),
      off('TaskEnabled', status('enable_task'), false),
      on('MjNotifyEnabled', status('mj_notify_enabled'), true),
      off('DataExportEnabled', status('enable_data_export'), false),
      row('DataExportDefaultTime', 'week', status('data_export_default_time'), 'week'),
      row('ServerAddress', 'https://gate.example/', status('server_address'), 'https://gate.example'),
      row('WeChatAccountQRCodeImageURL', 'https://pics.example/qr.png', status('wechat_qrcode'), 'https://pics.example/qr.png'),
      row('TelegramBotName', 'gate_bot', status('telegram_bot_name'), 'gate_bot'),
      row('TurnstileSiteKey', 'site-key-1', status('turnstile_site_key'), 'site-key-1'),
      row('QuotaPerUnit', '250000', status('quota_per_unit'), 250_000),
    ],
  },
  {
    name: 'what the pages show',
    rows: [
      on('DemoSiteEnabled', shown('/', '演示站点：'), true),
      row('SystemName', 'House of Models', shown('/', 'House of Models'), true),
      row('Footer', '<b>House footer</b><script>1</script>', status('footer_html'), '<b>House footer</b>'),
      row('Logo', '/house.svg', status('logo'), '/house.svg'),
      row('Notice', 'House **notice**', textOf('/api/notice'), 'House **notice**'),
      row('About', 'https://about.example/page', textOf('/api/about'), 'https://about.example/page'),
      row('HomePageContent', '<h2 onclick="x()">House</h2>', textOf('/api/home_page_content'), '<h2>House</h2>'),
    ],
  },
];
