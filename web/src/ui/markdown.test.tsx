import { MantineProvider } from '@mantine/core'
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import { Markdown } from './markdown'

const MARK = 'end of the text'

/** Shows a text and gives the element around it when what reads Markdown has come. */
async function show(text: string) {
  const root = createRootRoute({ component: () => <Markdown text={`${text}\n\n**${MARK}**`} /> })
  const router = createRouter({
    routeTree: root,
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  const { container } = render(
    <MantineProvider>
      <RouterProvider router={router} />
    </MantineProvider>,
  )
  const end = await screen.findByText(MARK, { selector: 'strong, code' })
  return { router, container, text: end.closest('div') ?? container }
}

describe('Markdown', () => {
  it('begins with the level after the one of its page, whatever its first heading is', async () => {
    await show('## Title\n\n### Part\n\ntext')
    expect(screen.getByRole('heading', { level: 3, name: 'Title' })).toBeVisible()
    expect(screen.getByRole('heading', { level: 4, name: 'Part' })).toBeVisible()
  })

  it('has headings, lists, tables, code and emphasis', async () => {
    const { text } = await show(
      '# Title\n\n- a\n- ~~b~~\n\n3. c\n\n| x | y |\n| - | -: |\n| 1 | 2 |\n\n`a<b`\n\n```\nlet a\n```',
    )
    expect(screen.getByRole('heading', { level: 3, name: 'Title' })).toBeVisible()
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(['a', 'b', 'c'])
    expect(text.querySelector('ol')).toHaveAttribute('start', '3')
    expect(screen.getByRole('columnheader', { name: 'x' })).toBeVisible()
    expect(screen.getByRole('cell', { name: '2' })).toHaveAttribute('data-align', 'right')
    expect(text.querySelector('pre')).toHaveTextContent('let a')
    expect(screen.getByText('a<b')).toBeVisible()
  })

  it('keeps each line break', async () => {
    const { text } = await show('one\ntwo')
    expect(text.querySelector('p')?.innerHTML).toBe('one<br>two')
  })

  it('has emphasis beside Chinese punctuation', async () => {
    await show('**注意：**请更新')
    expect(screen.getByText('注意：')).toHaveProperty('tagName', 'STRONG')
  })

  it('opens other sites in a tab that knows nothing of this one', async () => {
    await show('[shop](https://example.com/a?b=c) and https://example.org')
    for (const name of ['shop', 'https://example.org']) {
      const link = screen.getByRole('link', { name })
      expect(link).toHaveAttribute('target', '_blank')
      expect(link).toHaveAttribute('rel', 'noreferrer noopener nofollow')
    }
  })

  it('opens pages of this site in place', async () => {
    const { router } = await show('[buy](/user/services/buy?plan=2)')
    const link = screen.getByRole('link', { name: 'buy' })
    expect(link).toHaveAttribute('href', '/user/services/buy?plan=2')
    expect(link).not.toHaveAttribute('target')
    await userEvent.click(link)
    expect(router.state.location.href).toBe('/user/services/buy?plan=2')
  })

  it('has links in place of pictures', async () => {
    const { text } = await show('![a cat](https://example.com/cat.png)')
    expect(text.querySelector('img')).toBeNull()
    expect(screen.getByRole('link', { name: 'a cat' })).toHaveAttribute(
      'href',
      'https://example.com/cat.png',
    )
  })

  it('follows references', async () => {
    await show('[here][1]\n\n[1]: https://example.com/')
    expect(screen.getByRole('link', { name: 'here' })).toHaveAttribute(
      'href',
      'https://example.com/',
    )
  })
})

/** The server's renderer is tried with the same (internal/markdown/markdown_test.go). */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src=//evil>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{background:url(//evil)}</style>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](java&#10;script:alert(1))',
  '[x](&#x01;javascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:msgbox(1))',
  '[x](file:///etc/passwd)',
  '[x](blob:https://site/1)',
  '[x](clash://install-config?url=evil)',
  '![x](javascript:alert(1))',
  '![x](https://evil/x.png" onerror="alert(1))',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x](https://a "onmouseover=alert(1)")',
  '```js onload=alert(1)\nx\n```',
  '# <script>alert(1)</script> {onclick=alert(1)}',
  '| <img src=x onerror=alert(1)> |\n| - |\n| <script>alert(1)</script> |',
  '<!--><script>alert(1)</script>-->',
  "www.x.com/'><script>alert(1)</script>",
  '[<img src=x onerror=alert(1)>](https://x)',
]

const ELEMENTS = new Set(
  'DIV P BR HR H3 H4 H5 H6 STRONG EM DEL CODE PRE BLOCKQUOTE UL OL LI TABLE THEAD TBODY TR TH TD A'.split(
    ' ',
  ),
)
const ATTRIBUTES = new Set(['class', 'href', 'target', 'rel', 'start'])
const isOfMantine = (name: string) => name.startsWith('data-')

describe('hostile Markdown', () => {
  it.each(HOSTILE)('%s runs and loads nothing', async (source) => {
    const { text } = await show(source)
    for (const element of text.querySelectorAll('*')) {
      expect(ELEMENTS).toContain(element.tagName)
      const names = [...element.attributes].map(({ name }) => name)
      expect(names.filter((name) => !ATTRIBUTES.has(name) && !isOfMantine(name))).toEqual([])
    }
    for (const link of text.querySelectorAll('a')) {
      expect(link.protocol).toMatch(/^(https?|mailto|tg):$/)
    }
  })

  it.each(['> ', '- ', '*a ', '[', '**a *'])(
    'nested without bound by %j is shown',
    async (part) => {
      const { container } = await show(part.repeat(4000 / part.length))
      expect(container).toHaveTextContent(MARK)
    },
  )
})
