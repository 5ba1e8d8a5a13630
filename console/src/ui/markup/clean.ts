/**
 * HTML as nodes that only show something. Nothing of the source is kept but what is named here: the source is read into a
 * document that runs nothing, and each element and attribute that is allowed is made anew. It is never written out again,
 * so there is nothing that a browser could read in another way the second time.
 */

/** Names of elements that are made anew; of others only what is inside is looked at. */
const elements = new Set([
  ...['a', 'abbr', 'address', 'article', 'aside', 'b', 'blockquote', 'br', 'caption', 'center', 'cite', 'code', 'dd', 'del'],
  ...['details', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr'],
  ...['i', 'img', 'ins', 'kbd', 'li', 'mark', 'nav', 'ol', 'p', 'pre', 'q', 's', 'section', 'small', 'span', 'strong', 'sub'],
  ...['summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'time', 'tr', 'u', 'ul', 'var', 'wbr'],
]);
/** What stands in these is no text for people. */
const dropped = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'noembed', 'noframes', 'iframe', 'object', 'embed', 'applet'],
  ...['textarea', 'select', 'xmp', 'plaintext', 'svg', 'math', 'audio', 'video', 'canvas', 'dialog'],
]);
/** Of any element; those of single ones are written `element attribute`. */
const attributes = new Set([
  ...['title', 'lang', 'dir', 'align', 'img alt', 'img width', 'img height', 'td colspan', 'td rowspan', 'th colspan'],
  ...['th rowspan', 'th scope', 'details open', 'ol start', 'time datetime'],
]);
/** Styles that change how a text looks; none that takes it out of its place, over the page. */
const styles = new Set([
  ...['color', 'background-color', 'text-align', 'text-decoration', 'line-height', 'font-size', 'font-weight', 'font-style'],
  ...['margin-top', 'margin-right', 'margin-bottom', 'margin-left', 'padding-top', 'padding-right', 'padding-bottom'],
  ...['padding-left', 'width', 'height', 'max-width', 'border-radius', 'display', 'gap', 'flex-wrap', 'justify-content'],
]);
const harmlessStyle = /^(?!.*(?:url|image|expression|-\d))[\w\s#%.,()+-]{1,100}$/i;
const maxDepth = 64;
const maxNodes = 20_000;

/** `undefined` for whatever a link must not lead to. Control characters hide schemes from a careless reader. */
function safeAddress(address: string, schemes: RegExp): string | undefined {
  const plain = address.replaceAll(/[\p{Cc}\s]/gu, '');
  return /^(#|\/(?![/\\]))/.test(plain) || schemes.test(plain) ? plain : undefined;
}

function copyStyles(from: Element, to: HTMLElement): void {
  if (!(from instanceof HTMLElement)) return;
  for (const name of Array.from(from.style)) {
    const value = from.style.getPropertyValue(name);
    if (styles.has(name) && harmlessStyle.test(value)) to.style.setProperty(name, value);
  }
}

/** Names the button that loads a picture from a host. */
export type AskFor = (host: string) => string;

/** A picture from elsewhere tells that place whatever its address says: it is loaded when the reader asks for it. */
function heldPicture(image: HTMLImageElement, { href, host }: URL, askFor: AskFor): HTMLElement {
  const button = document.createElement('button');
  button.textContent = askFor(host);
  button.onclick = (event) => {
    // It may stand in a link.
    event.preventDefault();
    image.src = href;
    button.replaceWith(image);
  };
  return button;
}

function remade(from: Element, askFor?: AskFor): HTMLElement {
  const to = document.createElement(from.localName);
  for (const { name, value } of from.attributes) {
    if (attributes.has(name) || attributes.has(`${from.localName} ${name}`)) to.setAttribute(name, value);
  }
  copyStyles(from, to);
  if (to instanceof HTMLAnchorElement) {
    const href = safeAddress(from.getAttribute('href') ?? '', /^(https?|mailto|tel):/i);
    if (href === undefined) return to;
    to.setAttribute('href', href);
    if (/^[#/]/.test(href)) return to;
    to.setAttribute('target', '_blank');
    to.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  if (to instanceof HTMLImageElement) {
    const src = safeAddress(from.getAttribute('src') ?? '', askFor ? /^(https:|data:image\/)/i : /^https:/i);
    to.alt = from.getAttribute('alt') ?? '';
    to.loading = 'lazy';
    if (src === undefined) return to;
    const url = URL.parse(src, location.href);
    if (askFor && url?.host && url.host !== location.host) return heldPicture(to, url, askFor);
    to.setAttribute('src', src);
  }
  return to;
}

/** The fragment of what may be shown of an HTML text. `askFor`: a model wrote it, who may have been told to carry something out. */
export function cleanHtml(html: string, askFor?: AskFor): DocumentFragment {
  const source = new DOMParser().parseFromString(html, 'text/html');
  let left = maxNodes;
  const copy = (from: Node, to: Node, depth: number): void => {
    for (const child of from.childNodes) {
      left -= 1;
      if (left < 0 || depth > maxDepth) return;
      if (child.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(child.nodeValue ?? ''));
      if (!(child instanceof Element) || dropped.has(child.localName)) continue;
      if (!elements.has(child.localName)) copy(child, to, depth + 1);
      else copy(child, to.appendChild(remade(child, askFor)), depth + 1);
    }
  };
  const result = document.createDocumentFragment();
  copy(source.body, result, 0);
  return result;
}
