import { keyOf } from './asking.ts'
import type { FaultPlan } from './plan.ts'
import type { World } from './world.ts'

/** Brings a fault of the plan upon the server, a process, or the way between them. */
export function strike(world: World, fault: FaultPlan): void {
  const { server, time } = world
  switch (fault.kind) {
    case 'hang':
      server.hang(fault.forMs * 1000)
      break
    case 'restart':
      server.stop(fault.forMs * 1000)
      if (!fault.keepsData) server.loseData()
      dropAll(world)
      break
    case 'fail-over':
      server.failOver(fault.lagMs * 1000)
      if (fault.isNoticed) dropAll(world)
      break
    case 'flush':
      server.loseData()
      break
    case 'no-writes':
      server.server.noWrites = fault.why
      time.after(fault.forMs * 1000, () => {
        server.server.noWrites = undefined
      })
      break
    case 'busy':
      server.isBusy = true
      time.after(fault.forMs * 1000, () => {
        server.isBusy = false
      })
      break
    case 'flush-scripts':
      server.server.known.clear()
      break
    case 'move-slot':
      server.slots?.move(keyOf(fault.key), fault.forMs * 1000)
      break
    case 'server-clock':
      server.stepUs += fault.ms * 1000
      break
    default:
      strikeProcess(world, fault)
  }
}

type OfProcess = Extract<FaultPlan, { readonly process: number }>

function strikeProcess({ processes, troubles, time }: World, fault: OfProcess): void {
  const [process, trouble] = [processes[fault.process], troubles[fault.process]]
  if (process === undefined || trouble === undefined || process.machine.dead) return
  const { machine, clients } = process
  switch (fault.kind) {
    case 'delay':
      trouble.delayUs += fault.ms * 1000
      time.after(fault.forMs * 1000, () => {
        trouble.delayUs -= fault.ms * 1000
      })
      break
    case 'lose':
      trouble.loseRequests = fault.requests
      trouble.loseReplies = fault.replies
      time.after(fault.forMs * 1000, () => {
        trouble.loseRequests = 0
        trouble.loseReplies = 0
      })
      break
    case 'half-open':
      for (const { stream } of clients) if (stream !== undefined) stream.isDead = true
      trouble.isBlocked = true
      time.after(fault.forMs * 1000, () => {
        trouble.isBlocked = false
      })
      break
    case 'reset':
      trouble.isRefused = fault.forMs > 0
      time.after(fault.forMs * 1000, () => {
        trouble.isRefused = false
      })
      time.enter(machine)
      for (const client of clients) client.drop()
      break
    case 'wall-clock':
      machine.wallStepUs += fault.ms * 1000
      break
    case 'stand-still':
      machine.standStill(fault.forMs * 1000)
      break
    case 'die':
      machine.dead = true
      break
  }
}

/** Ends all connections. Each process notices it when the end of its connection has come to it. */
function dropAll({ processes, time }: World): void {
  for (const { clients, machine } of processes) {
    for (const client of clients) {
      const { stream } = client
      if (stream === undefined || machine.dead) continue
      stream.isDead = true
      time.after(stream.wayUs(), () => client.stream === stream && client.drop(), { owner: machine })
    }
  }
}
