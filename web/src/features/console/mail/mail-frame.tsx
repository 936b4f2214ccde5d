import { useEffect, useRef } from 'react'
import classes from './mail.module.css'

/** What mails are made of. All else is left out, its texts too. */
const ELEMENTS = new Set(
  'a p div span br hr strong em del code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 table thead tbody tr th td img'.split(
    ' ',
  ),
)

/** Shows pictures of this site alone: any other site would learn who looks at the mail. */
function showOwn(element: Element, from: HTMLImageElement) {
  if (!from.src.startsWith(`${location.origin}/site-pictures/`)) return
  element.setAttribute('src', from.src)
  element.setAttribute('alt', from.alt)
}

/** Copies what `from` holds into `to`, element by element, so that no attribute comes along but these. */
function copy(from: Node, to: Element, frame: Document) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) to.append(frame.createTextNode(node.textContent ?? ''))
    if (!(node instanceof HTMLElement) || !ELEMENTS.has(node.localName)) continue
    const element = frame.createElement(node.localName)
    if (node.style.cssText) element.style.cssText = node.style.cssText
    if (element.localName === 'a') element.setAttribute('title', node.getAttribute('href') ?? '')
    if (element.localName === 'a') element.setAttribute('href', '#')
    if (node instanceof HTMLImageElement) showOwn(element, node)
    to.append(element)
    copy(node, element, frame)
  }
}

/**
 * The HTML of a mail in a frame of its own: no scripts, no forms, and links that lead nowhere but tell where they would.
 * The page's policy forbids style attributes in markup, so the elements are made here and get their styles one by one.
 */
export function MailFrame({ html, title }: { html: string; title: string }) {
  const ref = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const frame = ref.current?.contentDocument
    if (!frame?.body) return
    const read = new DOMParser().parseFromString(html, 'text/html')
    frame.documentElement.lang = read.documentElement.lang
    frame.body.replaceChildren()
    frame.body.style.cssText = read.body.style.cssText
    copy(read.body, frame.body, frame)
  }, [html])
  return <iframe ref={ref} title={title} sandbox="allow-same-origin" className={classes.frame} />
}
