--- What is under way in a buffer: at most one edit, from the request to the last hunk. Writes nothing into the buffer.
local client = require('copyspan.client')
local keys = require('copyspan.keys')
local preview = require('copyspan.preview')

local M = {}

---@class copyspan.Passage New text for the lines line..stop-1.
---@field line integer
---@field stop? integer Not known while it is being written.
---@field text string

---@class copyspan.Session
---@field bufnr integer
---@field is_open boolean
---@field is_reviewing boolean Whether hunks wait for a decision.
---@field client? vim.lsp.Client
---@field request? integer The request that is being worked on.
---@field tokens string[]
---@field changes copyspan.Change[] What happened to the buffer since the session began.
---@field hunks copyspan.Hunk[] Those that are shown.
---@field total integer How many there were.
---@field num_accepted integer
---@field passages copyspan.Passage[] What the model wrote and belongs to no hunk yet.
---@field version integer The version that passages count lines in.
---@field stop_line integer Where the lines end that may change, in that version.
---@field note? copyspan.Note
---@field percentage? integer
---@field on_change fun() Called after every change of the buffer.
---@field on_end fun() Called when the buffer or the server goes away.
---@field autocommand integer

local sessions = {} ---@type table<integer, copyspan.Session>
local results = {} ---@type table<integer, copyspan.Result>

---@param bufnr integer
---@return copyspan.Session?
function M.get(bufnr) return sessions[bufnr] end

--- The last result of a buffer, also when its session is over.
---@param bufnr integer
---@return copyspan.Result?
function M.result(bufnr) return results[bufnr] end

---@param session copyspan.Session
---@param result copyspan.Result
function M.keep(session, result) results[session.bufnr] = result end

---@param session copyspan.Session
local function follow(session)
  vim.api.nvim_buf_attach(session.bufnr, false, {
    on_lines = function(_, _, tick, first, last, new_last)
      if not session.is_open then return true end
      if not tick then return end -- 'inccommand' shows what is not there
      table.insert(session.changes, { tick = tick, first = first, last = last, new_last = new_last })
      session.on_change()
    end,
    on_reload = function() session.on_end() end,
    on_detach = function() session.on_end() end,
  })
  session.autocommand = vim.api.nvim_create_autocmd('LspDetach', {
    buffer = session.bufnr,
    callback = function(event)
      if session.client and session.client.id == event.data.client_id then session.on_end() end
    end,
  })
end

--- Begin with an edit of a buffer. The one before is over, and what was not accepted of it is rejected.
---@param bufnr integer
---@return copyspan.Session
function M.open(bufnr)
  local before = sessions[bufnr]
  if before then M.close(before) end
  ---@type copyspan.Session
  local session = {
    bufnr = bufnr,
    is_open = true,
    is_reviewing = false,
    tokens = {},
    changes = {},
    hunks = {},
    total = 0,
    num_accepted = 0,
    passages = {},
    version = 0,
    stop_line = 0,
    on_change = function() end,
    on_end = function() end,
    autocommand = 0,
  }
  sessions[bufnr] = session
  follow(session)
  return session
end

--- The request is answered, or nobody waits for it any more.
---@param session copyspan.Session
function M.forget_request(session)
  vim.tbl_map(client.forget, session.tokens)
  session.tokens, session.request, session.note, session.percentage = {}, nil, nil, nil
  vim.cmd.redrawstatus()
end

--- Stop the model, where it works for this session.
---@param session copyspan.Session
function M.stop(session)
  if session.request and session.client and not session.client:is_stopped() then
    session.client:cancel_request(session.request)
  end
  M.forget_request(session)
end

--- End a session. Nothing of it stays in the buffer.
---@param session copyspan.Session
function M.close(session)
  if not session.is_open then return end
  session.is_open = false
  sessions[session.bufnr] = nil
  M.stop(session)
  pcall(vim.api.nvim_del_autocmd, session.autocommand) -- gone already where the buffer was wiped out
  if vim.api.nvim_buf_is_valid(session.bufnr) then
    preview.clear(session.bufnr)
    keys.clear(session.bufnr)
  end
end

return M
