module.exports = require('./callable.js').callable(require('./koa-ratelimit/index.js'))
