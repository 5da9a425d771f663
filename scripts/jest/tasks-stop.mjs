import removeInstalled from './packed-stop.mjs'
import stopRedis from './redis-stop.mjs'

/** jest's global tear-down of tasks-start.mjs. */
export default async function stopBoth() {
  removeInstalled()
  await stopRedis()
}
