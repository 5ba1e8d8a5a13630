import type { Announcement, Delivery } from '@tollgate/contract';
import { now } from './fixtures.ts';

const delivery = (id: number, more: Partial<Delivery>): Delivery => ({
  ...{
    id,
    event: 'quota_warning',
    way: 'email',
    state: 'sent',
    title: '您的额度即将用尽',
    title_en: 'Your balance is running low',
  },
  ...{ attempts: 1, detail: '', created_at: now - id * 4000, due_at: 0, sent_at: now - id * 4000 + 3, ...more },
});

export const deliveries: Delivery[] = [
  delivery(1, { state: 'waiting', way: 'webhook', attempts: 2, detail: 'HTTP 503', due_at: now + 600, sent_at: 0 }),
  delivery(2, { event: 'price_change', way: 'wecom', title: '模型价格已调整', title_en: 'Prices have changed' }),
  delivery(3, { state: 'failed', way: 'webhook', attempts: 1, detail: 'refused', sent_at: 0 }),
  delivery(4, {}),
];

export const announcements: Announcement[] = [
  {
    ...{
      id: 3,
      kind: 'announcement',
      title: '本周日凌晨例行维护',
      read: false,
      created_at: now - 3_600,
      updated_at: now - 3_600,
    },
    content: '周日 **02:00 – 04:00** 数据库升级，期间调用可能变慢。\n\n- 已充值的额度不受影响\n- 流式请求会自动重试',
  },
  {
    ...{ id: 2, kind: 'promotion', title: '充值满 100 送 10', read: true, created_at: now - 90_000, updated_at: now - 90_000 },
    content: '活动截至本月底，详情见[钱包](https://gate.example.com/topup)。',
  },
  {
    ...{ id: 1, kind: 'contact', title: '备用域名', read: true, created_at: now - 900_000, updated_at: now - 900_000 },
    content: '主域名无法访问时请使用 `https://backup.example.com`。',
  },
];
