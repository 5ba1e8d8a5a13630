/** A call with a token's key; whoever calls reads the answer. */
export const postJson = (url: string, key: string, body: unknown, more: Pick<RequestInit, 'signal'> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  });
