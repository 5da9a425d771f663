module.exports = require('./callable.js').callable(require('./express-rate-limit/index.js'))
// Said once more where tools look for it.
module.exports.default = module.exports
