---@brief
--- copyspan, AI edits by a local language model: `vim.lsp.enable('copyspan')` starts it for every file.
--- Settings of the server: `vim.lsp.config('copyspan', { settings = { copyspan = { ... } } })`, |copyspan-settings|.

---@type vim.lsp.Config
return {
  cmd = require('copyspan.config').command(),
  -- One server for all projects: each would load a model of its own.
  reuse_client = function(client, config) return client.name == config.name end,
  init_options = { askCommand = 'copyspan.ask' },
  before_init = function(params, config)
    -- The server asks for settings later, and the first edit may be there sooner.
    local settings = vim.tbl_get(config, 'settings', 'copyspan') or {}
    params.initializationOptions = vim.tbl_extend('keep', params.initializationOptions or {}, settings)
  end,
  handlers = {
    ['$/progress'] = function(...) return require('copyspan.client').on_progress(...) end,
    ['copyspan/statusChanged'] = function(...) return require('copyspan.client').on_status(...) end,
  },
}
