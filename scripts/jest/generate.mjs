import { buildLua } from '../build-lua.mjs'
import { buildPages } from '../build-pages.mjs'

/** jest's global set-up: `npx jest FILE` sees a changed Lua file or page as `npm test` does. */
export default function generate() {
  buildLua()
  buildPages()
}
