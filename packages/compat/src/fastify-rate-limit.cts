module.exports = require('./callable.js').callable(require('./fastify-rate-limit/index.js'))
