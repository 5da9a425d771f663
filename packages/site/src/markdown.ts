import MarkdownIt from 'markdown-it'
import { slugs } from './headings.ts'
import { highlight } from './highlight.ts'
import { type LinkTargets, linkFrom, relativeUrl } from './links.ts'
import { picturedStrategies, sceneOfPicture } from './pictures/scenes.ts'
import { hashOf } from './playground/scene.ts'

/** What the renderer is told of the page: the rest of Eleventy's data is beside it. */
export interface PageEnv {
  readonly source: { readonly file: string; readonly url: string }
}

type Token = ReturnType<MarkdownIt['parse']>[number]

/** Markdown as the repository's pages write it, with links that work on the site. */
export function markdown(targets: LinkTargets): MarkdownIt {
  const md = new MarkdownIt({ html: true, highlight })
  md.core.ruler.push('anchors', ({ tokens }) => {
    const slug = slugs()
    for (const [i, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', slug(plainText(tokens[i + 1])))
    }
  })
  md.core.ruler.push('links', ({ tokens, env }) => {
    for (const token of tokens) alignByClass(token)
    for (const { children } of tokens) if (children !== null) rewrite(children, env as PageEnv, targets)
  })
  // Comments say what tests do with the block behind them.
  md.renderer.rules.html_block = (tokens, i) => tokens[i]?.content.replace(/<!--[\s\S]*?-->\n?/g, '') ?? ''
  const imageRule = md.renderer.rules.image
  md.renderer.rules.image = (tokens, i, options, env, self) =>
    `${imageRule?.(tokens, i, options, env, self)}${playgroundLink(tokens[i], env)}`
  md.renderer.rules.table_open = () => '<div class="table"><table>'
  md.renderer.rules.table_close = () => '</table></div>'
  return md
}

/** What a strategy's picture shows can be changed in the playground. */
function playgroundLink(image: Token | undefined, { source }: PageEnv): string {
  const [, strategy] = /images\/strategies\/(\w+)\.svg$/.exec(image?.attrGet('src') ?? '') ?? []
  if (strategy === undefined || !picturedStrategies.includes(strategy)) return ''
  const url = `${relativeUrl(source.url, 'playground.html')}#${hashOf(sceneOfPicture(strategy))}`
  return `<a class="try" href="${url.replaceAll('&', '&amp;')}">Change it in the playground</a>`
}

/** A style attribute would need a weaker Content-Security-Policy. */
function alignByClass(token: Token): void {
  const style = token.attrGet('style')
  if (style === null) return
  token.attrs = token.attrs?.filter(([name]) => name !== 'style') ?? null
  if (style === 'text-align:right') token.attrJoin('class', 'figures')
}

/** Links that lead nowhere on the site lose their element, and keep their words. */
function rewrite(tokens: readonly Token[], { source }: PageEnv, targets: LinkTargets): void {
  const open: (Token | null)[] = []
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', imageFrom(source.url, token.attrGet('src') ?? ''))
    if (token.type === 'link_close' && open.pop() === null) blank(token)
    if (token.type !== 'link_open') continue
    const href = linkFrom(source, token.attrGet('href') ?? '', targets)
    open.push(href === null ? null : token)
    if (href === null) blank(token)
    else token.attrSet('href', href)
  }
}

/** All pictures of the pages lie in docs/images. */
function imageFrom(url: string, src: string): string {
  return relativeUrl(url, src.replace(/^.*images\//, 'images/'))
}

function blank(token: Token): void {
  token.type = 'text'
  token.content = ''
}

/** The words of a heading or a paragraph. */
export function plainText(inline: Token | undefined): string {
  if (inline?.children == null) return inline?.content ?? ''
  return inline.children.map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('')
}
