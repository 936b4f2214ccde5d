import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmAutolinkLiteralFromMarkdown } from 'mdast-util-gfm-autolink-literal'
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly'
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal'
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough'
import { gfmTable } from 'micromark-extension-gfm-table'

/** The dialect of the server (internal/markdown): HTML is text, and emphasis works next to Chinese punctuation. */
export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, {
    extensions: [
      gfmTable(),
      gfmStrikethrough(),
      gfmAutolinkLiteral(),
      cjkFriendlyExtension(),
      { disable: { null: ['htmlFlow', 'htmlText'] } },
    ],
    mdastExtensions: [
      gfmTableFromMarkdown(),
      gfmStrikethroughFromMarkdown(),
      gfmAutolinkLiteralFromMarkdown(),
    ],
  })
}

const PROTOCOLS = new Set(['http:', 'https:', 'mailto:', 'tg:'])

export type Target = { href: string; isHere: boolean }

/** Where a link may lead, read as browsers read it; undefined for scripts, files and other programs. */
export function targetOf(address: string): Target | undefined {
  let url: URL
  try {
    url = new URL(address, location.origin)
  } catch {
    return undefined
  }
  if (!PROTOCOLS.has(url.protocol)) return undefined
  return url.origin === location.origin
    ? { href: url.pathname + url.search + url.hash, isHere: true }
    : { href: url.href, isHere: false }
}
