// The native adapter beside the face, which declares nothing.
import { type AugmentedRequest, rateLimit as face } from '@sluice/compat/express-rate-limit'
import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express().use(rateLimit({ policy: undefined as never }), face({ limit: 5 }))
app.get('/', (req, res) => {
  const { used, resetTime } = (req as AugmentedRequest).rateLimit
  res.send([req.rateLimit?.remaining, used, resetTime?.getTime()])
})

interface Params {
  id: string
}

app.get<Params>('/typed/:id', rateLimit({ policy: undefined as never }), face({ limit: 5 }), (req, res) => {
  res.send(req.params.id)
})
app.get('/inferred/:id', face({ limit: 5 }), (req, res) => {
  res.send(req.params.id.toUpperCase())
})
