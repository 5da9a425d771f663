module.exports = require('./callable.js').callable(require('./koa-ratelimit/index.js'))
// Some tools look for the default export here.
module.exports.default = module.exports
