--- The connection: the client of a buffer, started where there is none, and what the server tells about requests.
local messages = require('copyspan.messages')

local M = {}

M.NAME = 'copyspan'
M.state = {} ---@type copyspan.Status What the server said last of itself.

local POLL_MS = 20

local listeners = {} ---@type table<string, fun(value: table)>
local num_tokens = 0

--- A token for a request; `listener` is called with the value of every notification about it until `forget`.
---@param listener fun(value: table)
---@return string
function M.listen(listener)
  num_tokens = num_tokens + 1
  local token = ('copyspan-nvim-%d-%d'):format(vim.fn.getpid(), num_tokens)
  listeners[token] = listener
  return token
end

---@param token? string
function M.forget(token)
  if token then listeners[token] = nil end
end

--- Handles `$/progress`. Partial results are for us alone; work done goes on to whoever shows it.
---@type lsp.Handler
function M.on_progress(problem, params, context)
  local listener = listeners[params.token]
  if listener then listener(params.value) end
  if type(params.value) == 'table' and params.value.kind then
    return vim.lsp.handlers['$/progress'](problem, params, context)
  end
end

--- Handles `copyspan/statusChanged`.
---@type lsp.Handler
function M.on_status(_, status)
  M.state = status
  vim.schedule(vim.cmd.redrawstatus)
end

---@param bufnr? integer
---@return vim.lsp.Client?
function M.find(bufnr) return vim.lsp.get_clients({ bufnr = bufnr, name = M.NAME })[1] end

---@param bufnr integer
---@param id integer
---@param use fun(client?: vim.lsp.Client, problem?: string)
local function await(bufnr, id, use)
  local client = M.find(bufnr)
  if client and client.attached_buffers[bufnr] then
    use(client)
  elseif not vim.lsp.get_client_by_id(id) then
    use(nil, 'The server ended before it was ready. :checkhealth copyspan says more.')
  elseif vim.api.nvim_buf_is_loaded(bufnr) then
    vim.defer_fn(function() await(bufnr, id, use) end, POLL_MS)
  end
end

--- Call `use` with the buffer's client as soon as it is attached, at once where it is; or with what is wrong.
---@param bufnr integer
---@param use fun(client?: vim.lsp.Client, problem?: string)
function M.with(bufnr, use)
  local client = M.find(bufnr)
  if client and client.attached_buffers[bufnr] then return use(client) end
  local config = vim.lsp.config[M.NAME]
  if not config then return use(nil, 'lsp/copyspan.lua is not in the runtime path (:help copyspan-install).') end
  local program = type(config.cmd) == 'table' and config.cmd[1]
  if program and vim.fn.executable(program) == 0 then
    return use(nil, ('%s is not there; see :help copyspan-install and :checkhealth copyspan.'):format(program))
  end
  local options = { bufnr = bufnr, reuse_client = config.reuse_client, silent = true }
  local id = vim.lsp.start(vim.deepcopy(config), options)
  if not id then return use(nil, 'The server could not be started. :checkhealth copyspan says more.') end
  await(bufnr, id, use)
end

--- Send a request of ours, after all changes of the buffer that it is about.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param bufnr integer
---@param use fun(problem?: lsp.ResponseError, result?: any) Not called for a request that was cancelled.
---@return integer? request
function M.request(client, method, params, bufnr, use)
  local is_sent, request = client:request(method, params, use, bufnr)
  if not is_sent then messages.warn('The server is not running any more. :CopyspanStatus says more.') end
  return is_sent and request or nil
end

return M
