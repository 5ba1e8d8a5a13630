import type { announcementRoutes, notifyRoutes } from '@tollgate/contract';
import type { Announcements, DeliveryLog, WxPusherBinding } from '../notify/index.ts';
import { actorOf, type Handlers, signedIn } from './types.ts';

export interface NotifyApiDeps {
  deliveries: DeliveryLog;
  wxpusher: WxPusherBinding;
  announcements: Announcements;
}

export function notifyHandlers({ deliveries, wxpusher }: NotifyApiDeps): Handlers<typeof notifyRoutes> {
  return {
    deliveries: (call) => deliveries.page(signedIn(call).user.id, call.query.p, call.query.page_size),
    async retry(call) {
      await deliveries.retry(signedIn(call).user.id, call.id);
    },
    test: (call) => deliveries.test(signedIn(call).user.id, call.body.way, call.caller.address.limitKey),
    wxpusherCode: (call) => wxpusher.code(signedIn(call).user.id),
    wxpusherStatus: async (call) => ({ state: await wxpusher.state(signedIn(call).user.id, call.query.code) }),
    async wxpusherUnbind(call) {
      await wxpusher.unbind(signedIn(call).user.id);
    },
    async wxpusherCallback({ body: { action, data } }) {
      if (action === 'app_subscribe' && data?.uid && data.extra) await wxpusher.scanned(data.extra, data.uid);
    },
  };
}

export function announcementHandlers({ announcements }: NotifyApiDeps): Handlers<typeof announcementRoutes> {
  return {
    list: (call) => announcements.page(signedIn(call).user.id, call.query.p, call.query.page_size),
    unread: (call) => announcements.unread(signedIn(call).user.id),
    async read(call) {
      await announcements.markRead(signedIn(call).user.id, call.body.ids);
    },
    async create(call) {
      await announcements.create(call.body, actorOf(call));
    },
    async update(call) {
      await announcements.update(call.body, actorOf(call));
    },
    async remove(call) {
      await announcements.remove(call.id, actorOf(call));
    },
  };
}
