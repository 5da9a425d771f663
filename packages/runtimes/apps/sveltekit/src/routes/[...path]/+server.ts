import type { RequestHandler } from '@sveltejs/kit'
import { zoo } from '../../../../../src/zoo.ts'

export const fallback: RequestHandler = ({ request, url }) => {
  const place = zoo[url.pathname]
  return place === undefined ? new Response('nothing', { status: 404 }) : place.answer(request)
}
