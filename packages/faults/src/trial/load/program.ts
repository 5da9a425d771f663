// The load is a process of its own, so that neither the servers nor the judge make it late.
import { Sender, type Target } from './sender.ts'

const targets = JSON.parse(process.argv[2] ?? '') as readonly Target[] // passed by the parent process

process.once('message', () => {
  const sender = new Sender(targets, (report) => process.send?.(report))
  sender.start()
  process.once('message', () => {
    void sender.stop().then(() => process.disconnect())
  })
})
process.once('disconnect', () => process.exit())
process.send?.('ready')
