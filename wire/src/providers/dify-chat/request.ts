import type { Encoded, RequestContext } from '../../chat/dialect.ts';
import type { ImagePart } from '../../chat/parts.ts';
import type { ChatRequest } from '../../chat/request.ts';
import type { JsonObject } from '../../json.ts';
import { unspoken } from '../losses.ts';
import { flattened } from '../turns.ts';

export const dialect = 'dify-chat';
const maxFiles = 10;

/** An application is asked one question; the model and all settings are the application's own. */
export function encodeRequest(request: ChatRequest, _context: RequestContext): Encoded {
  const losses = unspoken(request, dialect, ['user']);
  const files = filesOf(request, losses);
  const body: JsonObject = {
    inputs: {},
    query: flattened(withoutImages(request), losses),
    response_mode: request.stream ? 'streaming' : 'blocking',
    user: request.user ?? 'user',
    auto_generate_name: false,
  };
  if (files.length > 0) body.files = files;
  if (request.extra?.dialect === dialect) Object.assign(body, request.extra.fields);
  return { body, losses: [...losses] };
}

function withoutImages(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.kind !== 'image'),
  }));
  return { ...request, messages };
}

/** Pictures of the last message that has any, by address; all others are lost. */
function filesOf({ messages }: ChatRequest, losses: Set<string>): JsonObject[] {
  const byMessage = messages.map(({ parts }) => parts.filter((part): part is ImagePart => part.kind === 'image'));
  const last = byMessage.findLastIndex((images) => images.length > 0);
  const files: JsonObject[] = [];
  for (const [index, images] of byMessage.entries()) {
    for (const { source, detail = 'auto' } of images) {
      if (detail !== 'auto') losses.add('image_detail');
      const isSaid = index === last && source.at === 'url' && files.length < maxFiles;
      if (isSaid) files.push({ type: 'image', transfer_method: 'remote_url', url: source.url });
      else losses.add('image');
    }
  }
  return files;
}
