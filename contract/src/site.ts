import * as z from 'zod/mini';
import { data, defineRoute, type StreamAnswer } from './route.ts';

/** GET /api/status (contract 3.6). */
export interface Status {
  version: string;
  start_time: number;
  system_name: string;
  logo: string;
  footer_html: string;
  server_address: string;
  quota_per_unit: number;
  display_in_currency: boolean;
  /** Below how much people are warned who chose nothing else; 0 = never. */
  quota_remind_threshold: number;
  enable_drawing: boolean;
  enable_task: boolean;
  enable_data_export: boolean;
  data_export_default_time: string;
  default_collapse_sidebar: boolean;
  wxpusher_enabled: boolean;
  mj_notify_enabled: boolean;
  chats: Record<string, string>[];
  chat_link: string;
  chat_link2: string;
  pay_methods: { name: string; type: string; color?: string }[];
  /** The hosted payment page (`/api/user/checkout`) is set up. */
  enable_stripe_topup: boolean;
  stripe_min_topup: number;
  stripe_currency: string;
  email_verification: boolean;
  turnstile_check: boolean;
  turnstile_site_key: string;
  github_oauth: boolean;
  github_client_id: string;
  linuxdo_oauth: boolean;
  linuxdo_client_id: string;
  wechat_login: boolean;
  wechat_qrcode: string;
  telegram_oauth: boolean;
  telegram_bot_name: string;
  oidc_enabled: boolean;
  oidc_client_id: string;
  oidc_authorization_endpoint: string;
  price: number;
  min_topup: number;
  top_up_link: string;
  enable_online_topup: boolean;
  /** New tokens begin with the group `auto`; false where users may not choose it. */
  default_use_auto_group: boolean;
  demo_site_enabled: boolean;
  self_use_mode_enabled: boolean;
  docs_link: string;
  setup: boolean;
  /** Whether quota counts lag behind calls. */
  enable_batch_update: boolean;
  password_login: boolean;
  register_enabled: boolean;
  /** Registering by name and password; without it newcomers come in through a third party only. */
  password_register: boolean;
  agent_enabled: boolean;
  /** Users may apply to become agents. */
  agent_apply_enabled: boolean;
}

/** GET /api/setup; of a site that is set up, only `status` means something. */
export interface Setup {
  status: boolean;
  root_init: boolean;
  database_type: string;
}

export const siteRoutes = {
  status: defineRoute({ method: 'GET', path: '/api/status', access: 'none', data: data<Status>() }),
  notice: defineRoute({ method: 'GET', path: '/api/notice', access: 'none', data: data<string>() }),
  about: defineRoute({ method: 'GET', path: '/api/about', access: 'none', data: data<string>() }),
  homePage: defineRoute({ method: 'GET', path: '/api/home_page_content', access: 'none', data: data<string>() }),
} as const;

/** For tools beside the console, which asks none of this. */
export const probeRoutes = {
  /** For monitors: asks the database. Beside `message` stands `http_stats.active_connections`, the calls under way. */
  statusTest: defineRoute({ method: 'GET', path: '/api/status/test', access: 'admin', data: data<undefined>() }),
  /** Clients of the family ask this first. The first start sets up by itself, so there is nothing left to do. */
  setup: defineRoute({ method: 'GET', path: '/api/setup', access: 'none', data: data<Setup>() }),
  runSetup: defineRoute({ method: 'POST', path: '/api/setup', access: 'none', data: data<undefined>() }),
};

/** What describes the rest. */
export const docsRoutes = {
  openapi: defineRoute({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'none',
    query: z.object({ lang: z._default(z.enum(['zh', 'en']), 'zh') }),
    data: data<StreamAnswer>(),
  }),
} as const;
