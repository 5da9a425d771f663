// A process of its own: neither the servers nor the judge make it late.
import { Sender, type Target } from './sender.ts'

const targets = JSON.parse(process.argv[2] ?? '') as readonly Target[] // whoever starts it gives them
const sender = new Sender(targets, (exchanges) => process.send?.(exchanges))

process.once('message', () => {
  sender.start()
  process.once('message', () => {
    void sender.stop().then(() => process.disconnect())
  })
})
process.once('disconnect', () => process.exit())
process.send?.([])
