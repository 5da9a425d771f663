import { expect } from '@jest/globals'
import { type Browser, type Page, reads, view } from '@sluice/browser-test'
import type { Inspected, Message } from '../../src/wire.ts'
import { type ScriptedServer, scriptedServer } from './scripted-server.ts'

interface Shown {
  readonly page: Page
  readonly server: ScriptedServer
  /** Fails where something on the page has complained meanwhile. */
  close(): Promise<void>
}

interface More {
  /** The messages where all rows are asked for. */
  readonly all?: readonly Message[]
  /** Behind the page's address, with its `#`. */
  readonly hash?: string
  /** What `inspect` answers; without it the server knows no key. */
  readonly seen?: Inspected
}

/** A desktop page that has received these messages. */
export async function shown(
  browser: Browser,
  messages: readonly Message[],
  { all, hash = '', ...more }: More = {},
): Promise<Shown> {
  const server = await scriptedServer(
    (url) => (url.includes('rows=all') ? (all ?? messages) : messages),
    more,
  )
  const { page, complaints } = await view(browser, `${server.url}${hash}`)
  await reads(page, '#status', 'Live')
  return {
    page,
    server,
    async close() {
      await page.context().close()
      await server.close()
      // A key that is not known is meant.
      expect(complaints.filter((text) => !text.includes('404 (Not Found)'))).toEqual([])
    },
  }
}
