const near =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[(::1?\]|f[cd]|fe[89ab])|[^.[]+$)|\.(local|internal|lan)$/;

/** Names a host of this machine or of its own network, as far as the address tells. */
export function isNearby(address: string): boolean {
  const host = URL.parse(address)?.hostname;
  return host !== undefined && near.test(host);
}
