import type { Handle, HandleServerError } from '@sveltejs/kit'
import { sequence } from '@sveltejs/kit/hooks'
import type { KitApplication } from '../../../src/suite/built/sveltekit.ts'

const application: KitApplication = { sequence, siteOf: () => undefined }
Object.assign(globalThis, { sluiceApplication: application })

export const handle: Handle = (input) => {
  const site = application.siteOf(input.event)
  return site === undefined ? input.resolve(input.event) : site.handle(input)
}

export const handleError: HandleServerError = () => {}
