import type { RequestHandler } from '@sveltejs/kit'
import type { KitApplication } from '../../../../../src/suite/built/sveltekit.ts'

export const trailingSlash = 'ignore'

const { sluiceApplication: application } = globalThis as unknown as { sluiceApplication: KitApplication }

export const fallback: RequestHandler = async (event) =>
  (await application.siteOf(event)?.answer(event)) ?? new Response('nothing', { status: 404 })
