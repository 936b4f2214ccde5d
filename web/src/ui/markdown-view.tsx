import { Anchor } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { Definition, Node, RootContent, Table } from 'mdast'
import { createElement, type MouseEvent, type ReactNode, useMemo } from 'react'
import type { MarkdownProps } from './markdown'
import { markdownSlot } from './markdown-slot'
import { parseMarkdown, targetOf } from './markdown-tree'
import classes from './markdown.module.css'

// Deeper than anybody writes. What renders recurses, and a browser's stack ends.
const MAX_DEPTH = 60
const LAST_LEVEL = 6

type Context = { level: number; depth: number; definitions: Map<string, Definition> }

/** Markdown as elements: no text of it becomes markup, and only links that are safe to follow are links. */
export function MarkdownView({ text, level = 3 }: MarkdownProps) {
  const root = useMemo(() => parseMarkdown(text), [text])
  const definitions = new Map(
    root.children
      .filter((node) => node.type === 'definition')
      .map((node) => [node.identifier, node]),
  )
  // A text whose headings begin with `##` skips no level.
  const depths = root.children.map((node) => (node.type === 'heading' ? node.depth : LAST_LEVEL))
  const first = level + 1 - Math.min(...depths, LAST_LEVEL)
  return (
    <div className={classes.text}>
      {renderAll(root.children, { level: first, depth: 0, definitions })}
    </div>
  )
}

markdownSlot.View = MarkdownView

function renderAll(nodes: readonly RootContent[], context: Context): ReactNode[] {
  return nodes.map((node, index) => (
    <Rendered key={index} node={node} context={{ ...context, depth: context.depth + 1 }} />
  ))
}

function Rendered({ node, context }: { node: RootContent; context: Context }): ReactNode {
  if (context.depth > MAX_DEPTH) return textOf(node)
  const inner = () => ('children' in node ? renderAll(node.children, context) : null)
  switch (node.type) {
    case 'text':
      return <Lines text={node.value} />
    case 'heading':
      return createElement(
        `h${Math.min(node.depth + context.level - 1, LAST_LEVEL)}`,
        undefined,
        inner(),
      )
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inner()}</ol> : <ul>{inner()}</ul>
    case 'code':
      return (
        <pre>
          <code>{node.value}</code>
        </pre>
      )
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'link':
      return <Link address={node.url}>{inner()}</Link>
    case 'image':
      return <Link address={node.url}>{node.alt ?? node.url}</Link>
    case 'linkReference':
    case 'imageReference': {
      const label = node.type === 'linkReference' ? inner() : node.alt
      return <Link address={context.definitions.get(node.identifier)?.url ?? ''}>{label}</Link>
    }
    case 'table':
      return <Rows table={node} context={context} />
    default:
      return renderPlain(node.type, inner)
  }
}

const TAGS: Partial<Record<RootContent['type'], string>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  listItem: 'li',
  strong: 'strong',
  emphasis: 'em',
  delete: 'del',
}

function renderPlain(type: RootContent['type'], inner: () => ReactNode): ReactNode {
  if (type === 'break') return <br />
  if (type === 'thematicBreak') return <hr />
  const tag = TAGS[type]
  return tag ? createElement(tag, undefined, inner()) : null
}

/** Each line break is one, as in the messages that people send each other. */
function Lines({ text }: { text: string }) {
  return text
    .split('\n')
    .flatMap((line, index) => (index === 0 ? [line] : [<br key={index} />, line]))
}

/** A link that opens a page of this site in place, and any other one in a tab that knows nothing of this one. */
function Link({ address, children }: { address: string; children: ReactNode }) {
  const router = useRouter()
  const target = address === '' ? undefined : targetOf(address)
  if (!target) return children
  if (!target.isHere) {
    return (
      <Anchor inherit underline="always" href={target.href} target="_blank" rel={ELSEWHERE}>
        {children}
      </Anchor>
    )
  }
  const open = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!isPlain || event.altKey) return
    event.preventDefault()
    void router.navigate({ href: target.href })
  }
  return (
    <Anchor inherit underline="always" href={target.href} onClick={open}>
      {children}
    </Anchor>
  )
}

const ELSEWHERE = 'noreferrer noopener nofollow'

function Rows({ table, context }: { table: Table; context: Context }) {
  const [head, ...body] = table.children
  const cellsOf = (row: Table['children'][number] | undefined, tag: 'th' | 'td') =>
    row?.children.map((cell, index) =>
      createElement(
        tag,
        { key: index, 'data-align': table.align?.[index] ?? undefined },
        renderAll(cell.children, context),
      ),
    )
  return (
    <table>
      <thead>
        <tr>{cellsOf(head, 'th')}</tr>
      </thead>
      <tbody>
        {body.map((row, index) => (
          <tr key={index}>{cellsOf(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  )
}

/** The text of what is nested too deeply, without recursion. */
function textOf(node: Node): string {
  const parts: string[] = []
  const rest: Node[] = [node]
  for (let next = rest.pop(); next; next = rest.pop()) {
    if ('value' in next && typeof next.value === 'string') parts.push(next.value)
    if ('children' in next) rest.push(...(next.children as Node[]).toReversed())
  }
  return parts.join('')
}
